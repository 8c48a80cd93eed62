import { stateNote } from '../gateway/knowledge/capsule-status-sentences.ts';
import { policyUrl } from '../schemas/deployment.ts';
import type { ChangeEvent } from '../schemas/knowledge/corpus-responses.ts';
import { subjectTitle } from '../schemas/knowledge/sections.ts';
import { licenseWords } from '../schemas/license.ts';
import { capsulePath, PATHS } from '../schemas/paths.ts';
import { escapeMarkup, XML_DECLARATION } from '../text/markdown/write-markup.ts';
import { type DocumentFile, type FreeCapsule, type Publication, priceNote } from '../text/publication-model.ts';

const MAX_ENTRIES = 40;

/** Browsers that show a feed as text do not read its encoding from its first line. */
const FEED_TYPE = 'application/atom+xml; charset=utf-8';

interface FeedEvent extends Pick<ChangeEvent, 'reason' | 'superseded_by'> {
  readonly event: Exclude<ChangeEvent['event'], 'removed'>;
  readonly date: string;
  readonly capsule: FreeCapsule;
  readonly metadata: FreeCapsule['metadata'];
  /** Fragment that makes the address of the page the permanent id of the event. */
  readonly fragment: string;
}

/** RFC 4287: a feed and its entries need id, title and updated, and the feed an author; an id never changes (4.2.6). */
export function atomFeed(publication: Publication): DocumentFile {
  const { publisher, deployment, stats } = publication;
  const { baseUrl } = deployment;
  const newest = feedEvents(publication).reverse().slice(0, MAX_ENTRIES);
  const lastDay = newest
    .map(({ date }) => date)
    .sort()
    .at(-1);
  const titles = new Map(publication.capsules.map(({ id, metadata }) => [id, metadata.title]));
  const lines = [
    XML_DECLARATION,
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
    element('id', baseUrl + PATHS.feed),
    element('title', publisher.name),
    element('subtitle', publisher.tagline),
    element('updated', lastDay !== undefined ? timeOf(lastDay) : stats.capsules === 0 ? timeOf(publisher.updated) : stats.updated),
    link('self', 'application/atom+xml', baseUrl + PATHS.feed),
    link('alternate', 'text/html', baseUrl + PATHS.capsules),
    `<author>${element('name', publisher.name)}${element('uri', policyUrl(publication.deployment, 'about') ?? baseUrl)}</author>`,
    element('rights', licenseWords(publisher.license)),
    ...newest.map((event) => entry(event, titles, deployment)),
    '</feed>',
    '',
  ];
  return { path: PATHS.feed, contentType: FEED_TYPE, body: lines.join('\n') };
}

/** Events of published capsules, oldest first. A repeated event of a version (such as a second retraction) is numbered from 2. */
function feedEvents(publication: Publication): FeedEvent[] {
  const capsules = new Map(publication.capsules.map((capsule) => [capsule.id, capsule]));
  const times = new Map<string, number>();
  return publication.mirror.changes.flatMap(({ event, capsule_id, version, date, reason, superseded_by }) => {
    const capsule = capsules.get(capsule_id);
    if (capsule === undefined || event === 'removed') return [];
    const fragment = `${event}-${version}`;
    const time = (times.get(`${capsule_id}#${fragment}`) ?? 0) + 1;
    times.set(`${capsule_id}#${fragment}`, time);
    const { metadata } = capsule.versions.find((known) => known.metadata.version === version) ?? capsule;
    return [{ event, date, reason, superseded_by, capsule, metadata, fragment: time === 1 ? fragment : `${fragment}-${time}` }];
  });
}

function entry(event: FeedEvent, titles: ReadonlyMap<string, string>, { baseUrl, subjects }: Publication['deployment']): string {
  const { capsule, metadata, date, fragment } = event;
  const page = baseUrl + capsulePath(capsule.id);
  return [
    '<entry>',
    element('id', `${page}#${fragment}`),
    element('title', `${headline(event)}: ${metadata.title}`),
    link('alternate', 'text/html', page),
    element('updated', timeOf(date)),
    element('summary', summaryOf(event, titles)),
    ...metadata.tags.map((tag) => `<category term="${escapeMarkup(tag)}" label="${escapeMarkup(subjectTitle(tag, subjects))}"/>`),
    '</entry>',
  ].join('');
}

function headline({ event, metadata }: FeedEvent): string {
  const { version, status } = metadata;
  const news = { added: 'Added', revised: `Revised to ${version}`, superseded: 'Superseded', retracted: 'Retracted', restored: 'Restored' };
  return news[event] + (isOver(event) || status === 'current' ? '' : `, since ${status}`);
}

/** Whether an event says itself that the claim no longer holds. */
const isOver = (event: FeedEvent['event']): event is 'superseded' | 'retracted' => event === 'superseded' || event === 'retracted';

/** The claim of the version, or why it no longer holds: an old entry does not repeat a claim that was withdrawn since. */
function summaryOf({ event, metadata, date, reason, superseded_by }: FeedEvent, titles: ReadonlyMap<string, string>): string {
  const titled = (id: string | undefined): string | undefined => (id !== undefined && titles.has(id) ? `“${titles.get(id)}”` : undefined);
  if (isOver(event)) return stateNote({ status: event, status_date: date, status_reason: reason }, undefined, titled(superseded_by));
  if (metadata.status !== 'current') return stateNote(metadata, undefined, titled(metadata.superseded_by));
  const news = { added: '', revised: `There is a new version, ${metadata.version}. `, restored: 'This capsule is valid again. ' }[event];
  return news + priceNote(metadata) + metadata.summary;
}

function timeOf(day: string): string {
  return `${day}T00:00:00Z`;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeMarkup(text)}</${name}>`;
}

function link(rel: string, type: string, href: string): string {
  return `<link rel="${rel}" type="${type}" href="${escapeMarkup(href)}"/>`;
}
