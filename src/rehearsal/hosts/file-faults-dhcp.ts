import { getList, getString, isRecord } from '../api/objects.ts';
import { isInNetwork } from './dhcp.ts';

/** Removes the host name for the machine with this MAC from a dhcpd.conf or kea-dhcp4.conf. */
export function dropHostName(text: string, mac: string): string {
  if (isKea(text)) {
    return changeKea(text, (entry) => {
      if (getString(entry, 'hw-address').toLowerCase() !== mac) return;
      delete entry.hostname;
      entry['option-data'] = getList(entry, 'option-data').filter(
        (option) => getString(option, 'name') !== 'host-name',
      );
    });
  }
  return text.replace(/^host \S+ \{[^}]*\}/gm, (block) =>
    block.toLowerCase().includes(mac) ? block.replace(/\n\s*option host-name [^;]*;/, '') : block,
  );
}

/** Replaces the gateway of each machine network with an adjacent address, which is no router. */
export function replaceGateway(
  text: string,
  networks: readonly { readonly cidr: string; readonly gateway: string | null }[],
): string {
  const replacements = new Map(
    networks.flatMap(({ cidr, gateway }): [string, string][] =>
      gateway === null || gateway.includes(':') ? [] : [[gateway, getAdjacentAddress(gateway, cidr)]],
    ),
  );
  if (isKea(text)) {
    return changeKea(text, (entry) => {
      if (getString(entry, 'name') === 'routers') entry.data = replacements.get(getString(entry, 'data')) ?? entry.data;
    });
  }
  return text.replace(/(?<=option routers )[^;]+/g, (gateway) => replacements.get(gateway.trim()) ?? gateway);
}

const isKea = (text: string) => text.includes('"Dhcp4"');

/** Returns the configuration after `change` was applied to every object in it. */
function changeKea(text: string, change: (entry: Record<string, unknown>) => void): string {
  const config: unknown = JSON.parse(text);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      change(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(config);
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** Returns the address before or after another one in the same network. */
function getAdjacentAddress(address: string, cidr: string): string {
  const [network = '', prefix = '24'] = cidr.split('/');
  const last = Number(address.split('.')[3]);
  const before = address.replace(/\d+$/, String(last - 1));
  return last > 1 && isInNetwork(before, network, Number(prefix)) ? before : address.replace(/\d+$/, String(last + 1));
}
