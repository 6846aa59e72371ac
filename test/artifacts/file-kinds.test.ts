import { expect, test } from 'vitest';
import { FILE_KINDS } from '../../src/artifacts/file-kinds.ts';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { FileHost } from '../../src/artifacts/shared/generator.ts';
import { HOST_OS_NAMES, type HostOs, STAGES } from '../../src/design/choices.ts';
import type { Design } from '../../src/design/model.ts';
import { exampleCredentials, exampleImages, exampleSite } from '../support/example-design.ts';

/** Variants of the documented site on one operating system; together they have every kind of file. */
function createSites(os: HostOs): Design[] {
  const { services, nodes } = exampleSite();
  const withOs = <Host extends { readonly name: string }>(host: Host) => ({ ...host, os });
  const baseServices = {
    ...services,
    bastion: withOs(services.bastion),
    dns: { ...services.dns, servers: services.dns.servers.map(withOs) },
    loadBalancer: { ...services.loadBalancer, servers: services.loadBalancer.servers.map(withOs) },
  };
  const external = { ...baseServices, dns: { ...baseServices.dns, kind: 'external', servers: [] } } as const;
  const iso = { ...baseServices, boot: { ...baseServices.boot, kind: 'iso' } } as const;
  const kea = { ...baseServices, dhcp: { ...baseServices.dhcp, kind: 'kea' } } as const;
  const secure = nodes.map((node) => ({ ...node, secureBoot: true }));
  return [
    exampleSite({ services: baseServices }),
    exampleSite({ services: kea, nodes: secure }),
    exampleSite({ services: external }),
    exampleSite({ services: iso }),
    exampleSite({ services: iso, openshift: { version: '4.5', architecture: 'x86_64', osImageStream: null } }),
  ];
}

const selectHosts: Readonly<Record<FileHost, (design: Design) => readonly string[]>> = {
  dns: ({ services }) => services.dns.servers.map(({ name }) => name),
  'dns-primary': ({ services }) => services.dns.servers.slice(0, 1).map(({ name }) => name),
  dhcp: ({ services }) => (services.dhcp.server === null ? [] : [services.dhcp.server]),
  'load-balancer': ({ services }) => services.loadBalancer.servers.map(({ name }) => name),
  bastion: ({ services }) => [services.bastion.name],
  every: ({ services }) =>
    [services.bastion, ...services.dns.servers, ...services.loadBalancer.servers].map(({ name }) => name),
};

const toPattern = (path: string) =>
  new RegExp(`^${path.replace(/[.]/g, '\\$&').replace(/\b(?:ZONE|NODE|MAC|POOL)\b/g, '[a-z0-9.-]+')}$`);

test('every generated file has a path of the table of kinds, and every path of the table is generated', () => {
  const generatedPaths = new Set<string>();
  for (const design of HOST_OS_NAMES.flatMap(createSites)) {
    for (const stage of STAGES) {
      const input = { design, stage, credentials: exampleCredentials, images: exampleImages, previous: null };
      for (const { kind, host, path } of generateFiles(input).files) {
        const { host: fileHost = 'every', paths = [] } = FILE_KINDS.find((facts) => facts.kind === kind) ?? {};
        expect(selectHosts[fileHost](design), `${kind} on ${host}`).toContain(host);
        const found = paths.filter((pattern) => toPattern(pattern).test(path));
        expect(found, `${kind}: ${path}`).not.toEqual([]);
        for (const pattern of found) generatedPaths.add(`${kind} ${pattern}`);
      }
    }
  }
  const all = FILE_KINDS.flatMap(({ kind, paths }) => paths.map((path) => `${kind} ${path}`));
  expect(all.filter((each) => !generatedPaths.has(each))).toEqual([]);
});
