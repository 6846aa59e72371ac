// The first bent requests; the row bent-requests of the torture table judges a hundred thousand.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { judgeAll } from '../../../src/cluster/csr/judge-all.ts';
import { readRequest } from '../../../src/cluster/csr/request.ts';
import { requireProgram, testWith } from '../../support/programs.ts';
import fc, { seedOf } from '../../support/property.ts';
import { context, judgeBent, made, request } from './bent-requests.ts';

test('none of 1,500 bent requests is expected that the policy does not allow', () => judgeBent(seedOf(1), 750));

testWith('openssl')('openssl reads what is expected the same way, and sees the signatures that are not its own', () => {
  const samples = fc.sample(request, 400).map((one, index) => made(one, `csr-${index}`));
  const seen = { good: 0, bad: 0 };
  for (const told of samples) {
    const [judgement] = judgeAll([readRequest(told as never)], context);
    const isExpected = judgement?.verdict === 'expected';
    if (!isExpected && !judgement?.reasons.includes('SIG')) continue;
    if ((isExpected ? seen.good : seen.bad) >= 30) continue;
    seen[isExpected ? 'good' : 'bad'] += 1;
    const said = openssl(Buffer.from(told.spec.request, 'base64'));
    expect(said.isVerified).toBe(isExpected);
    if (isExpected) expect(said.subject).toBe(`subject=O=system:nodes,CN=system:node:${judgement.node}`);
  }
  expect(seen.good).toBeGreaterThan(10);
  expect(seen.bad).toBeGreaterThan(3);
});

/** Its exit code says nothing of the signature: its words do. */
function openssl(pem: Buffer): { readonly isVerified: boolean; readonly subject: string } {
  const args = ['req', '-verify', '-noout', '-subject', '-nameopt', 'RFC2253,-dn_rev'];
  const { stdout, stderr } = spawnSync(requireProgram('openssl'), args, { input: pem, encoding: 'utf8' });
  return { isVerified: /verify OK/.test(stderr), subject: stdout.trim() };
}
