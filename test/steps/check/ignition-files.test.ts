import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createAuthority } from '../../../src/rehearsal/pki.ts';
import { lookAtIgnition } from '../../../src/steps/check/ignition-files.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { standingClock } from '../../support/standing-clock.ts';
import { type StepWorld, stepWorld } from '../../support/step-world.ts';

let world: StepWorld | null = null;
let server: Server | null = null;
afterEach(async () => {
  server?.close();
  await world?.remove();
});

const data = (text: string) => `data:text/plain;base64,${Buffer.from(text).toString('base64')}`;
const server22623 = 'https://api-int.ocp45.example.localdomain:22623/config/master';

async function authority(): Promise<string> {
  const now = Date.now();
  return (await createAuthority('root', { notBefore: now, notAfter: now + 24 * 3_600_000 })).certPem;
}

const pointer = (ca: string) =>
  JSON.stringify({
    ignition: {
      version: '3.2.0',
      config: { merge: [{ source: server22623 }] },
      security: { tls: { certificateAuthorities: [{ source: data(ca) }] } },
    },
  });

test('ignition files are compared with what is served: by our own server, by one that gives them, and by one that keeps them', async () => {
  const [own, other] = await Promise.all([authority(), authority()]);
  let served: string | null = null;
  server = createServer((_, response) => {
    response.statusCode = served === null ? 403 : 200;
    response.end(served ?? '');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  world = stepWorld({ reach: () => ({ host: '127.0.0.1', port }), clock: standingClock(), isPerson: true });
  const { context, dir, write } = world;
  const files = [
    { name: 'bootstrap.ign', url: 'http://172.16.0.101:8080/ignition/bootstrap.ign', pointsTo: null },
    { name: 'master.ign', url: 'http://172.16.0.101:8080/ignition/master.ign', pointsTo: server22623 },
  ];
  const look = async () =>
    (await lookAtIgnition(context, { files })).files.map(({ problem, served: as }) => [problem !== null, as]);

  expect((await lookAtIgnition(context, { files })).expiresAt).toBeNull();
  write(
    'bootstrap.ign',
    JSON.stringify({
      ignition: { version: '3.2.0' },
      storage: { files: [{ path: '/x.crt', contents: { source: data(own) } }] },
    }),
  );
  write('master.ign', pointer(own));
  // Refused, as it should be, and no copy on this machine to compare with.
  expect(await look()).toEqual([
    [false, 'unseen'],
    [false, 'unseen'],
  ]);
  served = pointer(own);
  expect(await look()).toEqual([
    [false, 'other'],
    [false, 'same'],
  ]);
  // A second run made new files, and nobody copied this one.
  write('master.ign', pointer(other));
  expect(await look()).toEqual([
    [false, 'other'],
    [true, 'other'],
  ]);

  await world.startBootServer();
  const config = (file: string) => ({ ignition: { bootstrap: { file: `${dir}/bootstrap.ign` }, master: { file } } });
  write(workspace(dir).bootConfig.slice(dir.length + 1), JSON.stringify(config(`${dir}/master.ign`)));
  expect((await look()).map(([, as]) => as)).toEqual(['same', 'same']);
  write(workspace(dir).bootConfig.slice(dir.length + 1), JSON.stringify(config('/old/master.ign')));
  expect((await look()).map(([, as]) => as)).toEqual(['same', 'other']);
});
