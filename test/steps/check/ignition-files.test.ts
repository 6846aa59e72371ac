import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createAuthority } from '../../../src/rehearsal/pki.ts';
import { probeIgnitionFiles } from '../../../src/steps/check/host.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { createFrozenClock } from '../../support/frozen-clock.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

let fixture: StepFixture | null = null;
let server: Server | null = null;
afterEach(async () => {
  server?.close();
  await fixture?.remove();
});

const dataUrl = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
const configServerUrl = 'https://api-int.ocp45.example.localdomain:22623/config/master';

async function createAuthorityPem(): Promise<string> {
  const now = Date.now();
  return (await createAuthority('root', { notBefore: now, notAfter: now + 24 * 3_600_000 })).certPem;
}

const pointerIgnition = (ca: string) =>
  JSON.stringify({
    ignition: {
      version: '3.2.0',
      config: { merge: [{ source: configServerUrl }] },
      security: { tls: { certificateAuthorities: [{ source: dataUrl(ca) }] } },
    },
  });

test('ignition files are compared with the served ones: by our own server, by one that returns them, and by one that refuses', async () => {
  const [own, other] = await Promise.all([createAuthorityPem(), createAuthorityPem()]);
  let served: string | null = null;
  server = createServer((_, response) => {
    response.statusCode = served === null ? 403 : 200;
    response.end(served ?? '');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  fixture = createStepFixture({
    resolveEndpoint: () => ({ host: '127.0.0.1', port }),
    clock: createFrozenClock(),
    isManual: true,
  });
  const { context, dir, write } = fixture;
  const files = [
    { name: 'bootstrap.ign', url: 'http://172.16.0.101:8080/ignition/bootstrap.ign', pointsTo: null },
    { name: 'master.ign', url: 'http://172.16.0.101:8080/ignition/master.ign', pointsTo: configServerUrl },
  ];
  const probeFiles = async () =>
    (await probeIgnitionFiles(context, { files })).files.map(({ problem, content: comparison }) => [
      problem !== null,
      comparison,
    ]);

  expect((await probeIgnitionFiles(context, { files })).expiresAt).toBeNull();
  write(
    'bootstrap.ign',
    JSON.stringify({
      ignition: { version: '3.2.0' },
      storage: { files: [{ path: '/x.crt', contents: { source: dataUrl(own) } }] },
    }),
  );
  write('master.ign', pointerIgnition(own));
  // The server refuses, as it should, and this machine has no copy to compare with.
  expect(await probeFiles()).toEqual([
    [false, 'unknown'],
    [false, 'unknown'],
  ]);
  served = pointerIgnition(own);
  expect(await probeFiles()).toEqual([
    [false, 'other'],
    [false, 'same'],
  ]);
  // A second run created new files, and this one was not copied to the server.
  write('master.ign', pointerIgnition(other));
  expect(await probeFiles()).toEqual([
    [false, 'other'],
    [true, 'other'],
  ]);

  await fixture.startBootServer();
  const config = (file: string) => ({ ignition: { bootstrap: { file: `${dir}/bootstrap.ign` }, master: { file } } });
  write(workspace(dir).bootConfig.slice(dir.length + 1), JSON.stringify(config(`${dir}/master.ign`)));
  expect((await probeFiles()).map(([, comparison]) => comparison)).toEqual(['same', 'same']);
  write(workspace(dir).bootConfig.slice(dir.length + 1), JSON.stringify(config('/old/master.ign')));
  expect((await probeFiles()).map(([, comparison]) => comparison)).toEqual(['same', 'other']);
});
