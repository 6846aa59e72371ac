import { cause, failed } from '../cause.ts';
import { otherSettings } from './dhcp-settings.ts';

const NAMES = new Set([
  ...['domain-name-servers', 'domain-name', 'domain-search', 'host-name', 'hostname', 'ntp-servers', 'subnet-mask'],
  ...['fixed-address', 'ip-address', 'hardware ethernet', 'hw-address'],
]);
/** Names come from reverse records as well. */
const NEEDED = new Set(['fixed-address', 'ip-address', 'domain-name-servers']);

/** The DHCP server gives machines another address, name server, domain or name than planned. */
export const dhcpOptionsWrong = cause('dhcp-options-wrong', 'boot', (evidence) => [
  ...failed(evidence, 'dhcp-leases'),
  ...otherSettings(evidence, NAMES, NEEDED),
]);
