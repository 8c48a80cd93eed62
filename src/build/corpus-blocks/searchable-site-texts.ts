import { readFile } from 'node:fs/promises';
import { describedErrors, enginePages, errorPages, guidesOf, type Page } from '../../documents/page-registry.ts';
import { withoutBaseUrl } from '../../gateway/knowledge/render-site-result.ts';
import type { AuthoredContent } from '../../publication/authored-content.ts';
import { pagePath } from '../../publication/resolve/site-addresses.ts';
import { describedRoutes } from '../../routes/route-table.ts';
import { hasPrice } from '../../schemas/commerce/currency-and-availability.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { featuresOf } from '../../schemas/feature-switches.ts';
import type { SiteKind, SiteText } from '../../schemas/knowledge/result-kinds.ts';
import { buyPath, operationPath, problemPath, siteTextPath } from '../../schemas/paths.ts';
import { corpusOverview } from '../../site/collection-entries.ts';
import { type GuideSource, guideText } from '../../site/guides/guide-text.ts';
import { rewriteLinks } from '../../text/markdown/resolve-links.ts';
import { textBelowTitle } from '../../text/markdown/title-and-summary.ts';
import { priceInWords, termSentences } from '../../text/prices.ts';
import type { AuthoredPage, PublishedCapsule, PublishedOffer } from '../../text/publication-model.ts';

interface SiteTextsSource {
  readonly content: AuthoredContent;
  readonly offers: readonly PublishedOffer[];
  readonly deployment: Deployment;
  readonly capsules: readonly PublishedCapsule[];
}

type Text = Omit<SiteText, 'markdownPath' | 'askedBy'>;

/**
 * Searchable texts other than capsules: guides, the price list and the publisher's pages, operations of the API, offers, and
 * errors; operations and errors only where functions answer. Pages that nothing on the site links to stay out.
 */
export async function siteTexts(source: SiteTextsSource): Promise<SiteText[]> {
  const { content, offers, deployment } = source;
  const hasFunctions = deployment.mode === 'edge';
  const { publisher, pages } = content;
  const texts: Text[] = [
    ...(await guideTexts(source)),
    ...enginePageTexts(source),
    ...pages.filter(({ frontMatter }) => frontMatter.navigation !== 'none').map((page) => pageText(page, publisher.language)),
    ...(hasFunctions ? operationTexts(source) : []),
    ...offers.map((offer) => offerText(offer, content)),
    ...(hasFunctions ? errorTexts(source) : []),
  ];
  return texts.map((text) => ({
    ...text,
    askedBy: visitorWords(text, content.interfaceLanguage.tag),
    markdownPath: siteTextPath(text.kind, text.id),
    markdown: withoutBaseUrl(text.markdown, publisher.base_url),
  }));
}

type Words = Readonly<Record<'en' | 'de', string>>;

/** Words that ask for a kind of text; guides and operations are asked for by their subjects. */
const WORDS_OF_KINDS: Readonly<Record<SiteKind, Words>> = {
  guide: { en: '', de: '' },
  operation: { en: '', de: '' },
  offer: { en: 'offer, price, cost, buy', de: 'Angebot, Preis, Kosten, kaufen' },
  error: { en: 'error, problem', de: 'Fehler, Problem' },
};

/** Words of visitors for what they do, where the title of a text has other words, or the summary of a guide or page. */
const VISITOR_WORDS: readonly (Words & { readonly said: RegExp; readonly kind?: SiteKind })[] = [
  {
    said: /\bprice list\b|Preisliste/i,
    en: 'price, pricing, cost, cheap, cheapest, plan, fee, charge, see, buy, subscription, shop, store, services, our services, your services, products, offer, offers, catalogue, catalog, purchase, order, sell, what do you sell, what do you offer, what can I buy, how much, how much is it, is it free, discount, coupon',
    de: 'Preis, Kosten, kostet, günstig, billig, billigste, Tarif, Gebühr, kaufen, Abonnement, Laden, Angebot, Angebote, Leistungen, Produkte, bestellen, was verkauft ihr, was bietet ihr an, was kann ich kaufen, wie viel, wie viel kostet das, kostenlos, Rabatt, Gutschein',
  },
  {
    said: /^checkout$|^Kasse$/i,
    en: 'cart, basket, checkout, order, my orders, credit card, PayPal, Apple Pay, payment methods, pay, how do I pay, how can I pay, ways to pay, my order, where is my order, order status, track, track my package, receipt, delivery, shipping',
    de: 'Warenkorb, Kasse, zur Kasse, meine Bestellungen, Kreditkarte, PayPal, Zahlungsarten, Zahlungsmethoden, bezahlen, Bestellung, meine Bestellung, Bestellstatus, Quittung, Lieferung, Versand, Versandkosten',
  },
  {
    said: /\bregist(?:er|ers|ration)\b|registrier/i,
    en: 'register, sign up, sign in, account, obtain, API key, credentials, login',
    de: 'registrieren, anmelden, Anmeldung, einloggen, Konto, Zugang, API-Schlüssel, Zugangsdaten',
  },
  {
    said: /\brotates? or revokes?\b/i,
    en: 'key, how long, valid, expire, renew, lost, stolen, leaked, exposed, by accident, replace',
    de: 'Schlüssel, wie lange, gültig, erneuern, verloren, gestohlen, ersetzen',
  },
  {
    said: /\binvalid API key\b/i,
    en: 'rejected, refused, denied, unauthorized, wrong, work',
    de: 'abgelehnt, verweigert, ungültig, falsch, funktioniert',
  },
  {
    said: /\bcorrections?\b|Korrektur|Berichtigung/i,
    en: 'report, report a bug, mistake, wrong, incorrect, typo, fix, suggest, submit, contribute',
    de: 'melden, Fehler, falsch, Tippfehler, korrigieren, vorschlagen, Vorschlag, einreichen, beitragen',
  },
  {
    said: /\brefunds?\b|erstattung/i,
    en: 'refund, money back, guarantee, return, returns, return policy, refund policy, reimburse, cancel, cancel order, cancellation, complaint, unsubscribe',
    de: 'Erstattung, Rückerstattung, Geld zurück, Rückgabe, Umtausch, Widerruf, widerrufen, kündigen, Kündigung, stornieren, Stornierung, Reklamation',
  },
  {
    said: /^list changes\b|\bchange log\b|Änderungsprotokoll/i,
    en: 'change, news, recent, update, latest, last week, today, subscribe, follow, newsletter, feed, RSS, RSS feed, Atom',
    de: 'geändert, Neues, Änderung, aktualisiert, letzte Woche, heute, abonnieren, folgen, Newsletter, Feed',
  },
  {
    said: /\b(?:newsletter|digest|mailing list)\b|Rundbrief/i,
    kind: 'offer',
    en: 'newsletter, mailing list, e-mail updates, email updates, subscribe, notify',
    de: 'Newsletter, Rundbrief, Verteiler, abonnieren, benachrichtigen',
  },
  {
    said: /\b(?:audit|consult|coaching|hours|review|support|workshop)|Beratung|Coaching|Prüfung|Sprechstunde/i,
    kind: 'offer',
    en: 'consulting, consultant, advice, expert, hire',
    de: 'Beratung, beraten, Berater, Experte, beauftragen',
  },
  {
    said: /\b(?:class|course|seminar|training|workshop)\b|Kurs|Schulung|Unterricht|Weiterbildung/i,
    kind: 'offer',
    en: 'training, course, class, seminar, workshop, learn, teach',
    de: 'Schulung, Kurs, Seminar, Workshop, Weiterbildung, lernen',
  },
  {
    said: /^(?:quick ?start|getting started)\b|^(?:Schnellstart|Erste Schritte)/i,
    en: 'getting started, how to start, docs, documentation, API, developers, tutorial, introduction, FAQ',
    de: 'Anleitung, Dokumentation, Entwickler, Einführung, Einstieg, FAQ',
  },
  {
    said: /^terms\b|\bconditions$|\bAGB\b|(?:Geschäfts|Nutzungs)bedingungen/i,
    en: 'terms and conditions, legal, legal notice, licence, license, copyright, liability, warranty, delivery time, shipping, tax, VAT',
    de: 'AGB, Rechtliches, Lizenz, Urheberrecht, Haftung, Gewährleistung, Lieferzeit, Versand, Steuer, Mehrwertsteuer, MwSt',
  },
  {
    said: /\bcorpus manifest\b/i,
    en: 'download, export, dump, bulk, whole corpus, everything, at once, mirror, copy',
    de: 'herunterladen, exportieren, alles, gesamt, auf einmal, Kopie',
  },
  {
    said: /^(?!.*\bUCP\b).*\bMCP\b/,
    en: 'connect, set up, install, add, client, server, Claude Code, ChatGPT, Cursor, Codex',
    de: 'verbinden, Verbindung, einrichten, hinzufügen, Server',
  },
  {
    said: /\brate limits?\b|\btoo many requests\b/i,
    en: 'allowed, per minute, per hour, too many, throttled, maximum',
    de: 'erlaubt, pro Minute, pro Stunde, zu viele Anfragen, Höchstzahl',
  },
  {
    said: /\bprivacy\b|Datenschutz/i,
    en: 'personal data, data protection, GDPR, e-mail address, store, keep, delete, cookies, tracking',
    de: 'personenbezogene Daten, DSGVO, speichern, gespeichert, löschen, Cookies',
  },
  {
    said: /^contact\b|^Kontakt/i,
    en: 'e-mail, email, write, reach, get in touch, support, help, customer service, complaint, question, phone, phone number, address, your address, postal address, email address, location, where are you located, opening hours, talk, speak, person, human, jobs, press',
    de: 'E-Mail, schreiben, erreichen, Hilfe, Support, Kundendienst, Kundenservice, Beschwerde, Frage, Telefon, Telefonnummer, Adresse, Anschrift, Postanschrift, wo seid ihr, Öffnungszeiten, Ansprechpartner, sprechen, Mensch, Jobs, Presse',
  },
  {
    said: /^about\b|^über\b|^Impressum/i,
    en: 'about us, about you, who are you, who runs this, runs, operates, behind, imprint, Impressum, publisher, team, site',
    de: 'über uns, wer seid ihr, betreibt, Betreiber, Herausgeber, Impressum, Team, Website',
  },
  {
    said: /\bcheck that a quote\b|\bverify a quotation\b/i,
    en: 'genuine, authentic, trust, tampered, check, verify, quotation, signature, offline, prove, altered, unchanged',
    de: 'echt, vertrauen, prüfen, überprüfen, Zitat, Signatur',
  },
  {
    said: /\binvoice\b|Rechnung/i,
    kind: 'guide',
    en: 'bank transfer, wire transfer, purchase order, pay, bill, billing, tax, VAT',
    de: 'Überweisung, Bestellnummer, bezahlen, Mehrwertsteuer, MwSt, Umsatzsteuer',
  },
  {
    said: /^get capabilities\b|\bthis site supports\b/i,
    en: 'site, supports, protocol, accept, x402, MPP, MCP, A2A, NLWeb, ACP, UCP',
    de: 'unterstützt, unterstützen, Protokolle, verfügbar',
  },
  {
    said: /\bservice status\b|^status\b/i,
    en: 'up, down, online, outage, health, running',
    de: 'erreichbar, Störung, Ausfall, verfügbar',
  },
];

function visitorWords({ kind, title, summary, language }: Text, interfaceTag: string): string[] {
  const rows = [
    WORDS_OF_KINDS[kind],
    ...VISITOR_WORDS.filter(
      ({ said, kind: only = kind }) => only === kind && (said.test(title) || (kind === 'guide' && said.test(summary))),
    ),
  ];
  const isGerman = [language, interfaceTag].some((tag) => /^de(?:-|$)/i.test(tag));
  return [
    ...new Set(rows.flatMap(({ en, de }) => (isGerman ? [en, de] : [en])).flatMap((words) => (words === '' ? [] : words.split(', ')))),
  ];
}

async function guideTexts({ content, offers, deployment, capsules }: SiteTextsSource): Promise<Text[]> {
  const { publisher } = content;
  const features = featuresOf(publisher, offers);
  const source: GuideSource = {
    publisher,
    features,
    capsule: corpusOverview(capsules, deployment.sections).firstExample,
    offers: offers.filter(hasPrice),
  };
  return Promise.all(
    guidesOf(deployment.mode, features).map(async ({ id, path, title, description }): Promise<Text> => {
      const markdown = `# ${title}\n\n${guideText(await readFile(new URL(`../../site/guides/${id}.md`, import.meta.url), 'utf8'), source)}`;
      return { kind: 'guide', id: path.slice(1), title, summary: description, language: 'en', updated: publisher.updated, path, markdown };
    }),
  );
}

function pageText({ id, frontMatter, markdown: written, references }: AuthoredPage, ofPublication: string): Text {
  const { title, description, updated, language = ofPublication, translation_of: translationOf } = frontMatter;
  const body = rewriteLinks(textBelowTitle(written, title).markdown, references);
  return {
    kind: 'guide',
    id,
    title,
    summary: description,
    language,
    updated,
    path: pagePath(id),
    markdown: `# ${title}\n\n${body}`,
    inFooter: frontMatter.navigation === 'footer',
    ...(translationOf ? { translationOf } : {}),
  };
}

/** The shop, as a price list, and pages of the engine about this site that the publisher wrote no text for. */
function enginePageTexts({ content: { publisher, interfaceLanguage, pages }, offers }: SiteTextsSource): Text[] {
  const { tag, strings } = interfaceLanguage;
  const features = featuresOf(publisher, offers);
  const { buy, pricing, checkout, invoice, contact, connect, status } = enginePages(strings.pages, features);
  const textOf = ({ path, title, description }: Page, more = '', updated = publisher.updated): Text => {
    const markdown = `# ${title}\n\n${description}\n${more}`;
    return { kind: 'guide', id: path.slice(1), title, summary: description, language: tag, updated, path, markdown };
  };
  const withoutText = [connect, status, contact, ...(features.shop ? [checkout, invoice] : [])]
    .filter(({ path }) => pages.every(({ id }) => pagePath(id) !== path))
    .map((page) => ({ ...textOf(page), inFooter: page !== connect }));
  if (!features.shop) return withoutText;
  const lines = offers.map((offer) => {
    const { id, name, summary } = offer;
    return `- [${name}](${publisher.base_url}${buyPath(id)}): ${priceInWords(offer, { language: tag, sentences: strings.offers })}. ${summary}`;
  });
  const updated = offers.map((offer) => offer.updated).reduce((a, b) => (a > b ? a : b), publisher.updated);
  // The shop is found by what price lists are called, too.
  const shop = { ...buy, title: `${buy.title}: ${pricing.title}` };
  return [textOf(shop, `\n${lines.join('\n')}\n`, updated), ...withoutText];
}

function operationTexts({ content: { publisher }, offers, deployment }: SiteTextsSource): Text[] {
  return describedRoutes(deployment, featuresOf(publisher, offers)).map(({ id, method, path, summary, description, access }): Text => {
    const needs =
      access === 'open' ? 'It needs no key.' : access === 'key' ? 'It needs an API key.' : `It needs a key with the scope \`${access}\`.`;
    return {
      kind: 'operation',
      id,
      title: summary,
      summary: description,
      language: 'en',
      updated: publisher.updated,
      path: operationPath(id),
      markdown: `# ${summary}\n\n${description}\n\n\`${method} ${path}\`, operation \`${id}\`. ${needs}\n`,
    };
  });
}

function offerText(offer: PublishedOffer, { publisher, interfaceLanguage: { tag, strings } }: AuthoredContent): Text {
  const { id, name, summary, features, markdown, references, refund, updated } = offer;
  const sections = [
    `# ${name}`,
    [summary, ...termSentences(offer, { language: tag, sentences: strings.offers })].join(' '),
    features.map((feature) => `- ${feature}`).join('\n'),
    rewriteLinks(textBelowTitle(markdown, name).markdown, references).trim(),
    // Plain text: a heading or bold words would be a name by which the offer is found before the page about refunds.
    refund === undefined ? '' : `${strings.offers.refund}: ${refund}`,
  ];
  const text = `${sections.filter((section) => section !== '').join('\n\n')}\n`;
  return { kind: 'offer', id, title: name, summary, language: publisher.language, updated, path: buyPath(id), markdown: text };
}

function errorTexts({ content: { publisher }, offers, deployment }: SiteTextsSource): Text[] {
  const described: readonly string[] = describedErrors(deployment, featuresOf(publisher, offers));
  return errorPages()
    .filter(({ code }) => described.includes(code))
    .map(({ code, status, title, explanation, retry, nextActions }): Text => {
      const steps = nextActions.map(
        ({ description, method, path }, at) => `${at + 1}. ${description}${path === undefined ? '' : ` \`${method} ${path}\``}`,
      );
      const markdown = `# ${title}\n\nError code \`${code}\`, HTTP status ${status}. ${explanation}\n\n${retry}\n\n## What to do\n\n${steps.join('\n')}\n`;
      return {
        kind: 'error',
        id: code,
        // The code is what is asked for.
        title: `${title} (${code})`,
        summary: explanation,
        language: 'en',
        updated: publisher.updated,
        path: problemPath(code),
        markdown,
      };
    });
}
