import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ERRORS, type ErrorCode } from '../../src/gateway/errors.ts';
import { errorsOf, type Protocol, type Route, statusOf } from '../../src/http/define-route.ts';
import { PaymentRequired } from '../../src/protocols/x402/payment-required.ts';
import { routeTable } from '../../src/routes/route-table.ts';
import type { Deployment } from '../../src/schemas/deployment.ts';
import { Problem } from '../../src/schemas/problem-details.ts';
import { type Answer, codeOf, type Question } from './question.ts';
import { hold } from './violation.ts';

/** Codes that only the publisher can mend, so that there is no time to name. */
const WITHOUT_TIME: readonly string[] = ['not_configured'];

const SEEN_MAX = 50_000;

export class AnswerCheck {
  readonly #routes: readonly { readonly route: Route; readonly pattern: RegExp }[];
  readonly #seen = new Set<string>();

  constructor(deployment: Deployment) {
    this.#routes = routeTable(deployment)
      .filter(({ servedBy }) => servedBy === 'function')
      .map((route) => ({ route, pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`) }));
  }

  /** Holds that an answer is one that its route declares, and that it says when to come back where it asks to; gives the operation's id. */
  check(question: Question, answer: Answer): string {
    const route = this.#routeOf(question);
    const type = answer.headers.get('content-type')?.replace(/;.*$/, '') ?? '';
    const seen = (why: string) => (): string =>
      `${question.method} ${question.path} ${answer.status} ${type}: ${why}\n  ${answer.body.slice(0, 600)}`;
    const { headers } = answer;
    const isKept = headers.get('cache-control') !== 'no-store' || headers.has('etag');
    hold('declared', !headers.has('gateway-degraded') || !isKept, seen('a degraded answer that caches may keep'));
    if (answer.status === 429 || answer.status === 503) {
      const code = codeOf(answer);
      const { retry_after_seconds } = JSON.parse(answer.body) as Partial<Problem>;
      const seconds = answer.headers.get('retry-after');
      hold('come-back', code !== undefined && code !== '', seen('no code'));
      const isSame = route.protocol !== undefined || Number(seconds) === retry_after_seconds;
      const fits = seconds !== null && /^[1-9]\d*$/.test(seconds) && isSame;
      hold('come-back', fits || WITHOUT_TIME.includes(code ?? ''), seen(`Retry-After: ${seconds}`));
    }
    if (answer.status >= 400 && route.protocol) checkProtocolError(route, route.protocol, answer, seen);
    else if (answer.status >= 400) this.#checkProblem(route, answer, type, seen);
    else this.#checkBody(route, answer, type, seen);
    return route.id;
  }

  #routeOf({ method, path }: Question): Route {
    const [address = ''] = path.split('?');
    const found = this.#routes.find(({ route, pattern }) => route.method === method && pattern.test(address));
    if (found === undefined) throw new RangeError(`no route answers ${method} ${path}`);
    return found.route;
  }

  #checkProblem(route: Route, answer: Answer, type: string, seen: (why: string) => () => string): void {
    hold('declared', type === 'application/problem+json', seen('no problem document'));
    const problem = Problem.safeParse(JSON.parse(answer.body));
    const sent: unknown = JSON.parse(answer.body);
    // A challenge for a payment stands in the same document.
    const isWhole = PaymentRequired.safeParse(sent).success || isDeepStrictEqual(problem.data, sent);
    hold('declared', problem.success && isWhole, seen('not the form of a problem'));
    const code = problem.data?.code as ErrorCode;
    hold('declared', errorsOf(route).includes(code), seen(`the route does not declare ${code}`));
    hold(
      'declared',
      ERRORS[code]?.status === answer.status && problem.data?.status === answer.status,
      seen('another status than the code has'),
    );
    hold('declared', code !== 'internal', seen('a mistake of ours'));
    hold('declared', answer.headers.get('cache-control') === 'no-store', seen('a problem that caches may keep'));
  }

  #checkBody(route: Route, answer: Answer, type: string, seen: (why: string) => () => string): void {
    const declared = route.responses.filter(({ status, content }) => status === answer.status && (content?.type ?? '') === type);
    hold('declared', declared.length > 0, seen('status or media type is not declared'));
    // The digest alone: bodies of ten thousand lifetimes would fill the memory.
    const name = createHash('sha256').update(`${route.id} ${answer.body}`).digest('base64');
    if (type !== 'application/json' || this.#seen.has(name)) return;
    const value: unknown = JSON.parse(answer.body);
    const fits = declared.some(({ content }) => {
      const parsed = content?.schema.safeParse(value);
      // What a schema does not know is left out when it is read, so that equality shows that there was nothing of the kind.
      return parsed?.success === true && isDeepStrictEqual(parsed.data, value);
    });
    hold('declared', fits, seen('the body has another form'));
    if (this.#seen.size < SEEN_MAX) this.#seen.add(name);
  }
}

function checkProtocolError(route: Route, protocol: Protocol, answer: Answer, seen: (why: string) => () => string): void {
  hold('declared', protocol.errorSchema.safeParse(JSON.parse(answer.body)).success, seen('not the form of an error of the protocol'));
  const declared = errorsOf(route).filter((code) => code !== 'internal' && statusOf(code, protocol) === answer.status);
  hold('declared', declared.length > 0, seen('no error of the route has this status'));
  hold('declared', answer.headers.get('cache-control') === 'no-store', seen('an error that caches may keep'));
}
