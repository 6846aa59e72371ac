import { expect, test } from 'vitest';
import type { Finding } from '../../../src/checks/check.ts';
import { deferBootServerCheck, getBootServerNeed } from '../../../src/steps/shared/machines/boot-server-job.ts';
import { captureCommand } from '../../support/run-command.ts';
import { createStepFixture } from '../../support/step-fixture.ts';

const silentServer: Finding = {
  code: 'boot-server',
  state: 'failed',
  severity: 'fatal',
  subject: 'http://172.16.0.101:8080',
  title: 'http://172.16.0.101:8080: the boot server does not answer',
  cause: 'nothing listens on this port',
  remedy: 'Start it.',
};
const dependentCheck: Finding = {
  ...silentServer,
  code: 'http-artifacts',
  state: 'unknown',
  title: 'rootfs.img: served as it is here',
  causedBy: { id: 'boot-server', subject: silentServer.subject },
};

test('the boot server is needed from Prepare until all nodes have joined', async () => {
  const fixture = createStepFixture();
  try {
    expect(await getBootServerNeed(fixture.context)).toBe('later');
    await fixture.startBootServer();
    expect(await getBootServerNeed(fixture.context)).toBe('now');
    const { stepState, design } = fixture.context;
    stepState.set('stage', 'bootstrap-removed');
    stepState.set('seen-ready', ['w1']);
    expect(await getBootServerNeed(fixture.context)).toBe('now');
    stepState.set(
      'seen-ready',
      design.nodes.map(({ name }) => name),
    );
    expect(await getBootServerNeed(fixture.context)).toBe('over');
  } finally {
    await fixture.remove();
  }
});

test('its silence and the checks that depend on it come later before Prepare, and are left out in the end', () => {
  expect(deferBootServerCheck(silentServer, 'now')).toBe(silentServer);
  expect(deferBootServerCheck(silentServer, 'later')).toMatchObject({
    state: 'pending',
    title: 'http://172.16.0.101:8080: the boot server answers',
    cause: 'Prepare starts the boot server',
  });
  const later = deferBootServerCheck(dependentCheck, 'later');
  expect(later).toMatchObject({ state: 'pending', title: dependentCheck.title });
  expect(later).not.toHaveProperty('causedBy');
  for (const finding of [silentServer, dependentCheck]) expect(deferBootServerCheck(finding, 'over')).toBeNull();
  // A silence with another cause, other checks, and a server that answers stay.
  for (const finding of [
    { ...silentServer, causedBy: { id: 'address-gateway', subject: null } },
    { ...silentServer, state: 'ok' as const },
    { ...silentServer, code: 'tftp-server' },
  ])
    for (const need of ['later', 'over'] as const) expect(deferBootServerCheck(finding, need)).toBe(finding);
});

test('a phase with checks of other phases only is a usage error', async () => {
  expect(await captureCommand(['check', '--phase', 'dhcp', '--only', 'disk-space'], { cwd: '/' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('None of the checks in --only is in the phase dhcp.'),
  });
});
