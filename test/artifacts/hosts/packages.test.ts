import { expect, test } from 'vitest';
import { listPackagesByUse, PACKAGE_USES } from '../../../src/artifacts/hosts/packages.ts';
import { HOST_OS_NAMES } from '../../../src/design/choices.ts';
import { generateInstallFiles } from '../../support/debian-host.ts';
import { exampleSite } from '../../support/example-design.ts';

test.each(HOST_OS_NAMES)(
  'the packages that install.sh adds on %s are exactly those in the table of the help page',
  (os) => {
    const { services } = exampleSite();
    const withOs = <Host extends { readonly os: unknown }>(host: Host) => ({ ...host, os });
    const added = (['isc-dhcpd', 'kea'] as const).flatMap((kind) => {
      if (kind === 'isc-dhcpd' && os === 'rhel10') return [];
      const design = exampleSite({
        services: {
          ...services,
          bastion: withOs(services.bastion),
          dns: { ...services.dns, servers: services.dns.servers.map(withOs) },
          dhcp: { ...services.dhcp, kind },
          // Debian gets chrony only where it serves time.
          time: { servers: services.bastion.ip },
          loadBalancer: { ...services.loadBalancer, servers: services.loadBalancer.servers.map(withOs) },
        },
      });
      const scripts = generateInstallFiles(design).filter(({ path }) => path.endsWith('/install.sh'));
      return scripts.flatMap(({ content }) => /^packages=\(([^)]*)\)$/m.exec(content)?.[1]?.split(' ') ?? []);
    });
    const table = listPackagesByUse(os);
    const listed = new Set(PACKAGE_USES.flatMap((use) => table[use]));
    expect(added.length).toBeGreaterThan(5);
    expect(added.filter((name) => name !== '' && !listed.has(name))).toEqual([]);
    const rare = new Set([...table['ipxe-arm'], ...table['secure-boot']]);
    expect([...listed].filter((name) => !added.includes(name) && !rare.has(name))).toEqual([]);
  },
);
