import { capsulePath, PATHS } from '../schemas/paths.ts';
import { type DocumentCapsule, type DocumentFile, type Publication, publicCapsules } from './publication.ts';
import { XML_DECLARATION, xmlText } from './xml.ts';

/** Entries of the feed. */
const MAX_ENTRIES = 40;

/**
 * `/feed.xml`: capsules with the newest change first.
 *
 * @see RFC 4287: a feed and its entries need id, title and updated, and the feed an author.
 */
export function atomFeed(publication: Publication): DocumentFile {
  const { publisher, deployment, facts } = publication;
  const { baseUrl } = deployment;
  const newest = [...publicCapsules(publication)]
    .sort((a, b) => (a.metadata.updated === b.metadata.updated ? (a.id < b.id ? -1 : 1) : a.metadata.updated > b.metadata.updated ? -1 : 1))
    .slice(0, MAX_ENTRIES);
  const lines = [
    XML_DECLARATION,
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    element('id', baseUrl + PATHS.feed),
    element('title', publisher.name),
    element('subtitle', publisher.tagline),
    element('updated', facts.updated),
    link('self', 'application/atom+xml', baseUrl + PATHS.feed),
    link('alternate', 'text/html', baseUrl + PATHS.capsules),
    `<author>${element('name', publisher.name)}${element('uri', baseUrl + PATHS.about)}</author>`,
    element('rights', publisher.license),
    ...newest.map((capsule) => entry(capsule, baseUrl)),
    '</feed>',
    '',
  ];
  return { path: PATHS.feed, contentType: 'application/atom+xml', body: lines.join('\n') };
}

function entry({ id, metadata }: DocumentCapsule, baseUrl: string): string {
  const state =
    metadata.status === 'current'
      ? ''
      : `${metadata.status === 'retracted' ? 'Retracted' : 'Superseded'}. ${metadata.status_reason ?? ''} `;
  return [
    '<entry>',
    element('id', baseUrl + capsulePath(id)),
    element('title', metadata.title),
    link('alternate', 'text/html', baseUrl + capsulePath(id)),
    element('published', `${metadata.created}T00:00:00Z`),
    element('updated', `${metadata.updated}T00:00:00Z`),
    element('summary', `${state}${metadata.summary}`),
    ...metadata.tags.map((tag) => `<category term="${xmlText(tag)}"/>`),
    '</entry>',
  ].join('');
}

function element(name: string, text: string): string {
  return `<${name}>${xmlText(text)}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${xmlText(href)}"/>`;
}
