import { Publisher } from '../../src/schemas/publisher.ts';

export function publisherOf(ids: readonly string[], more: Readonly<Record<string, unknown>> = {}): Publisher {
  return Publisher.parse({
    name: 'Signpost',
    tagline: 'A tagline of ten letters',
    description: 'd'.repeat(60),
    base_url: 'https://signpost.example',
    issuer: 'did:web:signpost.example',
    checkout_host: 'https://checkout.example',
    contact_email: 'desk@signpost.example',
    currency: 'USD',
    license: 'CC-BY-4.0',
    updated: '2026-03-03',
    offers: { order: ids, recommended_first: ids[0], recommended_quick: ids.at(-1), fast_paid_starts: [ids[0]] },
    ...more,
  });
}
