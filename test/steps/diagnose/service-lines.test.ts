import { expect, test } from 'vitest';
import type { Line } from '../../../src/diagnosis/causes/evidence.ts';
import { withoutOutlived } from '../../../src/steps/diagnose/service-lines.ts';

const line = (host: string, source: string, text: string): Line => ({ source, host, text, at: null });
const REFUSED = line('lb1', 'haproxy', '[ALERT] config : Fatal errors found in configuration.');

test('what a program said of a file that it refused is over when it has taken one since, and only there', () => {
  const taken = line('lb1', 'haproxy', '[NOTICE] Loading success.');
  const other = line('lb2', 'haproxy', '[NOTICE] Loading success.');
  const warning = line('lb1', 'haproxy', 'Server api/m1 is DOWN');
  expect(withoutOutlived([REFUSED, warning, taken])).toEqual([warning, taken]);
  expect(withoutOutlived([taken, REFUSED, other, warning])).toEqual([taken, REFUSED, other, warning]);
  const dhcp = line('ns1', 'dhcpd', '/etc/dhcp/dhcpd.conf line 3: semicolon expected.');
  expect(withoutOutlived([dhcp, line('ns1', 'dhcpd', 'DHCPACK on 172.16.0.21')])).toHaveLength(1);
});
