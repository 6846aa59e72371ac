import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { reviewRequests } from '../../src/csr/review-requests.ts';
import { parseCertificateRequest } from '../../src/openshift/certificate-request.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import fc, { deriveSeed } from '../support/property.ts';
import { buildRequestObject, context, request, reviewMutatedRequests } from './mutated-requests.ts';

// The first mutated requests. The row bent-requests of the torture table reviews a hundred thousand.

test('of 1,500 mutated requests, none is expected that the policy does not allow', () =>
  reviewMutatedRequests(deriveSeed(1), 750));

testWith('openssl')('openssl reads expected requests the same way, and rejects foreign signatures', () => {
  const samples = fc.sample(request, 400).map((one, index) => buildRequestObject(one, `csr-${index}`));
  const counts = { good: 0, bad: 0 };
  for (const object of samples) {
    const [review] = reviewRequests([parseCertificateRequest(object as never)], context);
    const isExpected = review?.verdict === 'expected';
    if (!isExpected && !review?.reasons.includes('SIG')) continue;
    if ((isExpected ? counts.good : counts.bad) >= 30) continue;
    counts[isExpected ? 'good' : 'bad'] += 1;
    const result = verifyRequest(Buffer.from(object.spec.request, 'base64'));
    expect(result.isVerified).toBe(isExpected);
    if (isExpected) expect(result.subject).toBe(`subject=O=system:nodes,CN=system:node:${review.node}`);
  }
  expect(counts.good).toBeGreaterThan(10);
  expect(counts.bad).toBeGreaterThan(3);
});

/** Verifies the signature. The exit code of openssl does not report the result, its output does. */
function verifyRequest(pem: Buffer): { readonly isVerified: boolean; readonly subject: string } {
  const args = ['req', '-verify', '-noout', '-subject', '-nameopt', 'RFC2253,-dn_rev'];
  const { stdout, stderr } = spawnSync(requireProgram('openssl'), args, { input: pem, encoding: 'utf8' });
  return { isVerified: /verify OK/.test(stderr), subject: stdout.trim() };
}
