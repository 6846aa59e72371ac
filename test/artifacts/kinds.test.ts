import { expect, test } from 'vitest';
import { generate } from '../../src/artifacts/generate.ts';
import { FILE_KINDS } from '../../src/artifacts/kinds.ts';
import type { FileHost } from '../../src/artifacts/shared/draft.ts';
import { type Design, type HostOs, OS_NAMES, STAGES } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';

/** The documented site on each operating system, with all that a site can have. */
function sites(os: HostOs): Design[] {
  const { services, nodes } = exampleSite();
  const on = <Host extends { readonly name: string }>(host: Host) => ({ ...host, os });
  const all = {
    ...services,
    bastion: on(services.bastion),
    dns: { ...services.dns, servers: services.dns.servers.map(on) },
    loadBalancer: { ...services.loadBalancer, servers: services.loadBalancer.servers.map(on) },
  };
  const external = { ...all, dns: { ...all.dns, kind: 'external', servers: [] } } as const;
  const iso = { ...all, boot: { ...all.boot, kind: 'iso' } } as const;
  const kea = { ...all, dhcp: { ...all.dhcp, kind: 'kea' } } as const;
  const secure = nodes.map((node) => ({ ...node, secureBoot: true }));
  return [
    exampleSite({ services: all }),
    exampleSite({ services: kea, nodes: secure }),
    exampleSite({ services: external }),
    exampleSite({ services: iso }),
    exampleSite({ services: iso, openshift: { version: '4.5', architecture: 'x86_64' } }),
  ];
}

const hostsOf: Readonly<Record<FileHost, (design: Design) => readonly string[]>> = {
  dns: ({ services }) => services.dns.servers.map(({ name }) => name),
  'dns-primary': ({ services }) => services.dns.servers.slice(0, 1).map(({ name }) => name),
  dhcp: ({ services }) => (services.dhcp.server === null ? [] : [services.dhcp.server]),
  'load-balancer': ({ services }) => services.loadBalancer.servers.map(({ name }) => name),
  bastion: ({ services }) => [services.bastion.name],
  every: ({ services }) =>
    [services.bastion, ...services.dns.servers, ...services.loadBalancer.servers].map(({ name }) => name),
};

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/[.]/g, '\\$&').replace(/\b(?:ZONE|NODE|MAC|POOL)\b/g, '[a-z0-9.-]+')}$`);

test('every generated file is where the table of kinds says, and every path of the table is generated somewhere', () => {
  const met = new Set<string>();
  for (const design of OS_NAMES.flatMap(sites)) {
    for (const stage of STAGES) {
      const input = { design, stage, credentials: exampleCredentials, images: exampleImages, previous: null };
      for (const { kind, host, path } of generate(input).files) {
        const { host: duty = 'every', paths = [] } = FILE_KINDS.find((facts) => facts.kind === kind) ?? {};
        expect(hostsOf[duty](design), `${kind} on ${host}`).toContain(host);
        const found = paths.filter((pattern) => patternOf(pattern).test(path));
        expect(found, `${kind}: ${path}`).not.toEqual([]);
        for (const pattern of found) met.add(`${kind} ${pattern}`);
      }
    }
  }
  const all = FILE_KINDS.flatMap(({ kind, paths }) => paths.map((path) => `${kind} ${path}`));
  expect(all.filter((each) => !met.has(each))).toEqual([]);
});
