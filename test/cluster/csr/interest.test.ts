import { expect, test } from 'vitest';
import { byInterest } from '../../../src/cluster/csr/interest.ts';
import type { Judgement } from '../../../src/cluster/csr/judgement.ts';
import type { Verdict } from '../../../src/diagnosis/certificates/evidence.ts';

const request = (name: string, verdict: Verdict, requestedAt: number | null = 0): Judgement => ({
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

test('what waits for somebody comes first; a superseded request is one of our nodes, what is not ours was never looked at', () => {
  const verdicts: readonly Verdict[] = ['decided', 'not-ours', 'superseded', 'refused', 'expected'];
  const sorted = verdicts.map((verdict) => request(verdict, verdict)).toSorted(byInterest);
  expect(sorted.map(({ verdict }) => verdict)).toEqual(['expected', 'refused', 'superseded', 'not-ours', 'decided']);
});

test('of the same kind the newest comes first, and of the same second the name decides', () => {
  const requests = [request('b', 'refused', 1), request('c', 'refused', 2), request('a', 'refused', 1)];
  expect(requests.toSorted(byInterest).map(({ name }) => name)).toEqual(['c', 'a', 'b']);
});
