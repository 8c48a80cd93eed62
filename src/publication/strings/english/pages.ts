/** Titles of the pages of the engine and their descriptions, for search engines and lists: 50 to 200 characters. */
export const pages = {
  capsulesTitle: 'Capsules',
  capsulesDescription: 'All capsules by type and by tag, each with its claim, its evidence and its status.',
  buyTitle: 'Price list',
  buyDescription: 'Everything that is sold here, with prices in US dollars and terms side by side.',
  pricingTitle: 'Pricing',
  pricingDescription: 'What each offer costs and includes, with delivery, refund and the last day of its price.',
  checkoutTitle: 'Checkout',
  checkoutDescription: 'How to buy an offer, and the checkout address of every offer in the catalog.',
  invoiceTitle: 'Buying on invoice',
  invoiceDescription: 'How to request an invoice instead of paying at checkout, and what to send.',
  contactTitle: 'Contact',
  contactDescription: 'Where to send questions, corrections, orders and reports of security problems.',
  docsTitle: 'Documentation',
  docsDescription: 'How to read, query and verify this site, and how to buy from it, for people and for programs.',
  statusTitle: 'Status',
  statusDescription: 'What this build contains: capsules, versions, sources and offers, and the day of the newest change.',
} as const;
