import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

test.each([
  ['4.5', '2.2.0'],
  ['4.6', '3.1.0'],
  ['4.8', '3.2.0'],
  ['4.18', '3.2.0'],
  ['5.0', '3.2.0'],
])('each pool gets the time servers in the Ignition of its version: %s', (version, ignition) => {
  const { services } = exampleSite();
  const design = exampleSite({
    openshift: { version, architecture: 'x86_64', osImageStream: null },
    services: { ...services, time: { servers: ['192.168.124.1', 'ntp.example.com', '2001:db8::123'] } },
  });
  for (const pool of ['master', 'worker']) {
    const config = parse(generateFileText(design, `bastion/root/upi-wizard/manifests/99-${pool}-chrony.yaml`));
    expect(config.metadata).toEqual({
      name: `99-${pool}-chrony`,
      labels: { 'machineconfiguration.openshift.io/role': pool },
    });
    expect(config.spec.config.ignition).toEqual({ version: ignition });
    const [file] = config.spec.config.storage.files;
    expect(file).toMatchObject({ path: '/etc/chrony.conf', mode: 0o644 });
    expect(Object.keys(file)).toContain(ignition.startsWith('2') ? 'filesystem' : 'overwrite');
    const text = decodeURIComponent(file.contents.source.replace('data:,', ''));
    expect(text.match(/^server .*$/gm)).toEqual([
      'server 192.168.124.1 iburst',
      'server ntp.example.com iburst',
      'server 2001:db8::123 iburst',
    ]);
  }
});
