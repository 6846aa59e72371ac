import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { bootFileForbidden, bootFileMissing } from '../../../src/checks/rules/boot-files.ts';
import type { Symptom } from '../../../src/checks/rules/diagnostic-rule.ts';
import { collectSiteFindings } from '../../../src/steps/check/index.ts';
import { booting } from '../../checks/rules/base-evidence.ts';
import { createStepFixture } from '../../support/step-fixture.ts';
import { withTftp } from '../../support/tftp.ts';

test('a forbidden file is distinguished from a missing one by its HTTP status', async () => {
  const server = createServer((request, response) => {
    // The images are forbidden; the scripts are missing.
    response.writeHead(request.url?.startsWith('/images/') ? 403 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fixture = createStepFixture({ resolveEndpoint: await withTftp(() => ({ host: '127.0.0.1', port })) });
  try {
    const results = await collectSiteFindings(fixture.context, {
      only: ['http-artifacts', 'ipxe-script', 'ipxe-nodes'],
    });
    const checks = results.map(({ check, result }) => ({ ...result, id: check.id }));
    const evidence = { ...booting, checks };
    const joinSymptoms = (found: readonly Symptom[]) => found.flatMap(({ evidence: texts }) => texts).join('\n');
    expect(joinSymptoms(bootFileForbidden.run(evidence))).toMatch(/^rhcos-.*403/);
    expect(joinSymptoms(bootFileForbidden.run(evidence))).not.toContain('404');
    expect(joinSymptoms(bootFileMissing.run(evidence))).toMatch(/404/);
    expect(joinSymptoms(bootFileMissing.run(evidence))).not.toContain('403');
  } finally {
    await fixture.remove();
    server.closeAllConnections();
    server.close();
  }
});
