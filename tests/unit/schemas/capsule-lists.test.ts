import { expect, it } from 'vitest';
import { ignoredParameters, listAt, listPath, listSelected, repeatedValues } from '../../../src/schemas/knowledge/capsule-lists.ts';

const own: readonly (readonly [address: string, parameters: Readonly<Record<string, string>>])[] = [
  ['/capsules', {}],
  ['/capsules/page/2', { page: '2' }],
  ['/capsules/by/newest', { sort: 'newest' }],
  ['/capsules/by/newest/3', { sort: 'newest', page: '3' }],
  ['/capsules/type/concept', { type: 'concept' }],
  ['/capsules/evidence/measured/2', { evidence: 'measured', page: '2' }],
  ['/capsules/language/zh-Hant', { language: 'zh-Hant' }],
  ['/capsules/changed/2026', { changed: '2026' }],
];

it.each(own)('the list at %s is the one that its parameters select', (address, parameters) => {
  expect(listPath(listSelected(parameters))).toBe(address);
  const [, , name, value, page] = address.split('/');
  if (name !== undefined) expect(listAt(name, value ?? '', page)).toEqual(listSelected(parameters));
});

it.each([
  [{ tag: 'http' }, '/subjects/http'],
  [{ tag: ' HTTP  caching ' }, '/subjects/http-caching'],
  [{ subject: 'http' }, '/subjects/http'],
  [{ tag: '', subject: 'HTTP caching' }, '/subjects/http-caching'],
  [{ tag: '', type: '', evidence: '', language: '', changed: '', sort: '' }, '/capsules'],
  [{ type: 'nothing', evidence: 'strong', changed: '2026-13', page: '0', utm_source: 'a' }, '/capsules'],
  [{ changed: '2026-11' }, '/capsules?changed=2026-11'],
  [{ tag: 'http', sort: 'newest' }, '/capsules?tag=http&sort=newest'],
  [{ evidence: 'measured', type: 'concept', page: '2' }, '/capsules?type=concept&evidence=measured&page=2'],
])('the parameters %o lead to %s', (parameters, address) => expect(listPath(listSelected(parameters))).toBe(address));

it.each(['C++', 'c++', '歴史 '])('the subject %s is found by its title', (tag) => {
  const subjects = { 'c-plus-plus': { title: 'C++' }, 'tag-c43d763c': { title: '歴史' } };
  expect(Object.keys(subjects)).toContain(listSelected({ tag }, subjects).conditions.tag);
});

it.each([
  ['type', 'nothing', undefined],
  ['type', 'concept', '1'],
  ['type', 'concept', '02'],
  ['tag', 'http', undefined],
  ['changed', '2026-11', undefined],
  ['page', '1', undefined],
  ['page', '2', '2'],
  ['by', 'title', undefined],
  ['constructor', 'name', undefined],
])('there is no list at /capsules/%s/%s with the page %s', (name, value, page) => expect(listAt(name, value, page)).toBeUndefined());

it.each([
  [{ type: 'bogus', sort: 'bogus', changed: '2026-13', page: '0' }, ['type', 'sort', 'changed', 'page']],
  [{ page: 'abc', tag: '\ufffd', language: 'e', evidence: 'strong' }, ['page', 'tag', 'language', 'evidence']],
  [{ tag: 'HTTP caching', type: '', sort: 'title', page: '1', utm_source: 'a', fbclid: 'b', ref: 'c' }, []],
  [{ topic: 'http', q: 'caching', since: '', '<b>': 'x' }, ['topic', 'q']],
])('of the parameters %o, %j are ignored', (parameters, ignored) => expect(ignoredParameters(parameters)).toEqual(ignored));

it('of several values of one filter, those that the last one replaces are named', () => {
  const sent = new URLSearchParams('type=concept&type=practice&evidence=measured&evidence=measured&utm_source=a&utm_source=b&tag=&tag=x');
  expect(repeatedValues(sent)).toEqual(['type=concept']);
});
