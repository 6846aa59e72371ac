import { expect, test } from 'vitest';
import type { RequestVerdict } from '../../src/csr/verdict.ts';
import { compareForReview, type RequestReview } from '../../src/csr/verdict.ts';

const request = (name: string, verdict: RequestVerdict, requestedAt: number | null = 0): RequestReview => ({
  name,
  uid: name,
  node: null,
  kind: 'client',
  verdict,
  reasons: [],
  requestedAt,
  requester: '',
  fingerprint: null,
  isApproved: false,
  isIssued: false,
});

test('pending decisions come first, then foreign requests and decided ones; about superseded ones nothing is done', () => {
  const verdicts: readonly RequestVerdict[] = ['decided', 'not-ours', 'superseded', 'refused', 'expected'];
  const sorted = verdicts.map((verdict) => request(verdict, verdict)).toSorted(compareForReview);
  expect(sorted.map(({ verdict }) => verdict)).toEqual(['expected', 'refused', 'not-ours', 'decided', 'superseded']);
});

test('of the same kind the newest comes first, and of the same second the name decides', () => {
  const requests = [request('b', 'refused', 1), request('c', 'refused', 2), request('a', 'refused', 1)];
  expect(requests.toSorted(compareForReview).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
});
