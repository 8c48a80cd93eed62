/**
 * Attributes that make a form a tool for an agent in the browser (WebMCP, declarative API): the browser derives the parameters from fields
 * and labels. Other browsers ignore them. In English, as the tools of `scripts/page-tools.ts`, whose names they must not repeat.
 *
 * @see https://github.com/webmachinelearning/webmcp/blob/main/declarative-api-explainer.md
 */
interface FormTool {
  readonly toolname: string;
  readonly tooldescription: string;
  /** Lets the agent submit the form. Forms that order something or send a message lack it: a person submits them. */
  readonly toolautosubmit?: '';
}

/** The tools of forms, by what the form does. */
export const FORM_TOOLS = {
  search: {
    toolname: 'show_search_results',
    tooldescription: 'Opens the page with the results of a search of this site.',
    toolautosubmit: '',
  },
  filterCapsules: {
    toolname: 'filter_capsules',
    tooldescription: 'Opens the list of the capsules that meet all chosen conditions.',
    toolautosubmit: '',
  },
  requestInvoice: {
    toolname: 'request_invoice',
    tooldescription: 'Fills in a request for an invoice for offers of this site. The person checks and sends it; nothing is paid here.',
  },
  startCheckout: {
    toolname: 'start_checkout',
    tooldescription: 'Leads to the checkout of the cart on this page. The person presses the button and pays there.',
  },
} as const satisfies Readonly<Record<string, FormTool>>;

/** Descriptions of parameters for which the label of the field is too short. */
export const FORM_TOOL_PARAMETERS = {
  query: { toolparamdescription: 'Question or keywords.' },
  tag: { toolparamdescription: 'Subject of the capsules: a tag such as http-caching. Empty for any.' },
} as const;
