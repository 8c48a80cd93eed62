/** In the place of a text that is sold. */
export const paidText = {
  heading: 'The text',
  note: 'Title, summary, metadata, digests and lineage are free. The text is sold.',
  price: 'Price',
  perResponse: '<price><amount>{price}</amount></price> per response; the same payment is never charged twice',
  paidIn: 'Paid in',
  token: 'USDC on {network}',
  testToken: 'USDC on {network}, a test network whose tokens have no value',
  whatYouGet: 'What you get',
  contents: '{words} of markdown, about {tokens} tokens, with references to {sources}',
  proof: 'Proof',
  digestIsFree: 'The <digest>digest</digest> of the text is published in the free records',
  howAgentsPay: 'How an agent pays',
  ask: 'Ask',
  askText: 'GET the address below. The response has status 402; its headers and body state the price and how to pay.',
  pay: 'Pay',
  payText: 'A client of x402 version 2 or of MPP reads these terms, signs the payment and repeats the request with it.',
  receive: 'Receive',
  receiveText:
    'Once the payment is settled, the response is the capsule with its text as JSON, or the text alone with “Accept: text/markdown”.',
  getThePrice: 'Get the price',
  operation: '<operation>The operation</operation> describes its responses. Earlier versions (<version>?version=</version>) cost the same.',
} as const;
