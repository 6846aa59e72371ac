import { expect, test } from 'vitest';
import type { EvidenceLine } from '../../../src/checks/rules/evidence.ts';
import { dropResolvedConfigErrors } from '../../../src/steps/diagnose/log-lines.ts';

const line = (host: string, source: string, text: string): EvidenceLine => ({ source, host, text, at: null });
const FATAL_CONFIG = line('lb1', 'haproxy', '[ALERT] config : Fatal errors found in configuration.');

test('the error of a program about its file is dropped once it accepts one, on the same host only', () => {
  const accepted = line('lb1', 'haproxy', '[NOTICE] Loading success.');
  const other = line('lb2', 'haproxy', '[NOTICE] Loading success.');
  const warning = line('lb1', 'haproxy', 'Server api/m1 is DOWN');
  expect(dropResolvedConfigErrors([FATAL_CONFIG, warning, accepted])).toEqual([warning, accepted]);
  expect(dropResolvedConfigErrors([accepted, FATAL_CONFIG, other, warning])).toEqual([
    accepted,
    FATAL_CONFIG,
    other,
    warning,
  ]);
  const dhcp = line('ns1', 'dhcpd', '/etc/dhcp/dhcpd.conf line 3: semicolon expected.');
  expect(dropResolvedConfigErrors([dhcp, line('ns1', 'dhcpd', 'DHCPACK on 172.16.0.21')])).toHaveLength(1);
});
