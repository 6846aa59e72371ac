import { expect, test } from 'vitest';
import { diagnose } from '../../../src/diagnosis/causes/diagnose.ts';
import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import { CAUSES } from '../../../src/diagnosis/causes/index.ts';
import type { Case } from './case.ts';
import { CLUSTER_CASES } from './cluster-cases.ts';
import { DHCP_CASES } from './dhcp-cases.ts';
import { DISK_CASES } from './disk-cases.ts';
import { booting, bootstrapping, complete } from './healthy.ts';
import { MACHINE_CASES } from './machine-cases.ts';
import { NETWORK_CASES } from './network-cases.ts';
import { SERVICE_CASES } from './service-cases.ts';
import { STATE_CASES } from './state-cases.ts';
import { TEXT_CASES } from './text-cases.ts';

const CASES: readonly Case[] = [
  ...SERVICE_CASES,
  ...MACHINE_CASES,
  ...DHCP_CASES,
  ...DISK_CASES,
  ...CLUSTER_CASES,
  ...TEXT_CASES,
  ...NETWORK_CASES,
  ...STATE_CASES,
];
const found = (evidence: Evidence) => diagnose(evidence).map(({ rule, likelihood }) => `${rule} ${likelihood}`);

test('nothing is found on a site that boots, that bootstraps, that is complete, nor of an empty bundle', () => {
  expect([booting, bootstrapping, complete].map(found)).toEqual([[], [], []]);
  const nothing = { checks: [], pools: [], ports: [], ready: [], files: [], machines: [], lines: [], clocks: [] };
  const rest = { design: null, ignition: null, registries: null, api: null, cluster: null };
  expect(found({ ...booting, ...nothing, ...rest })).toEqual([]);
});

test.each(CASES)('%s is named first where it shows, and is silent where it does not', (id, shown, silent) => {
  for (const [evidence, likelihood] of shown) expect(found(evidence)[0]).toBe(`${id} ${likelihood}`);
  for (const evidence of silent) expect(found(evidence).filter((each) => each.startsWith(`${id} `))).toEqual([]);
});

test('every rule has a case of each kind', () => {
  const tried = CASES.filter(([, shown, silent]) => shown.length > 0 && silent.length > 0).map(([id]) => id);
  expect(CAUSES.map(({ id }) => id).filter((id) => !tried.includes(id))).toEqual([]);
  expect(new Set(CAUSES.map(({ id }) => id)).size).toBe(CAUSES.length);
});

test('a name that others chose is one word of the command that one pastes', () => {
  const evil = 'csr-x; touch /tmp/it';
  const commands = CASES.flatMap(([, shown]) => shown.map(([evidence]) => evidence)).flatMap((evidence) => {
    const { cluster } = evidence;
    if (cluster === null) return [];
    const renamed = <T extends { readonly name: string }>(all: readonly T[]) =>
      all.map((one) => ({ ...one, name: evil }));
    const requests = renamed(cluster.requests ?? []);
    const operators = renamed(cluster.operators ?? []);
    return diagnose({ ...evidence, cluster: { ...cluster, requests, operators } }).map(
      ({ howToBeSure }) => howToBeSure,
    );
  });
  const withIt = commands.filter((command) => command.includes('touch'));
  expect(withIt.length).toBeGreaterThan(5);
  expect(withIt.filter((command) => !command.includes(`'${evil}'`))).toEqual([]);
});
