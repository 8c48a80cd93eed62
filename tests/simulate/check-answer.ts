import { openApiDocument } from '../../src/documents/openapi/openapi.ts';
import { type Judge, judgeReply, newJudge } from '../fuzz/judge-reply.ts';
import type { InMemoryBuild } from '../support/simulated/in-memory-build.ts';
import type { Answer, Question } from './question.ts';
import { hold } from './violation.ts';

/** Holds answers against their routes and the API description, as the fuzzer does. */
export class AnswerCheck {
  readonly #judge: Judge;

  constructor({ publication }: InMemoryBuild) {
    const document = JSON.parse(JSON.stringify(openApiDocument(publication))) as object;
    this.#judge = newJudge(publication.deployment, document, { limited: true, storesFail: true });
  }

  /** @returns The id of the operation that answered. */
  check({ method, path }: Question, answer: Answer): string {
    const { operation, faults } = judgeReply({ method, target: path, headers: [] }, { ...answer, ms: 0 }, this.#judge);
    const { status, headers, body } = answer;
    const seen = (why: string) => (): string =>
      `${method} ${path} ${status} ${headers.get('content-type')}: ${why}\n  ${body.slice(0, 600)}`;
    const isKept = headers.get('cache-control') !== 'no-store' || headers.has('etag');
    hold('declared', !headers.has('gateway-degraded') || !isKept, seen('a degraded answer that caches may keep'));
    const ofTime = faults.filter((fault) => /retry-after|come back/.test(fault));
    hold('come-back', ofTime.length === 0, seen(ofTime.join('; ')));
    hold('declared', faults.length === 0, seen(faults.join('; ')));
    return operation;
  }
}
