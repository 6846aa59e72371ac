import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { bootFileForbidden } from '../../../src/diagnosis/causes/boot/boot-file-forbidden.ts';
import { bootFileMissing } from '../../../src/diagnosis/causes/boot/boot-file-missing.ts';
import { checkAnswers } from '../../../src/steps/diagnose/site.ts';
import { booting } from '../../diagnosis/causes/healthy.ts';
import { stepWorld } from '../../support/step-world.ts';
import { withTftp } from '../../support/tftp.ts';

test('a file that the web server may not read is told from one that is not there by its status', async () => {
  const server = createServer((request, response) => {
    // The images are forbidden; of the scripts there is none.
    response.writeHead(request.url?.startsWith('/images/') ? 403 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const world = stepWorld({ reach: await withTftp(() => ({ host: '127.0.0.1', port })) });
  try {
    const checks = await checkAnswers(world.context, { isSetUp: false, isBooting: true });
    const seen = { ...booting, checks };
    const symptoms = (found: readonly { readonly symptom: string }[]) => found.map(({ symptom }) => symptom).join('\n');
    expect(symptoms(bootFileForbidden.find(seen))).toMatch(/^rhcos-.*403/);
    expect(symptoms(bootFileForbidden.find(seen))).not.toContain('404');
    expect(symptoms(bootFileMissing.find(seen))).toMatch(/404/);
    expect(symptoms(bootFileMissing.find(seen))).not.toContain('403');
  } finally {
    await world.remove();
    server.closeAllConnections();
    server.close();
  }
});
