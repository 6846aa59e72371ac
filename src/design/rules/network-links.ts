import { catalogue } from '../../i18n/catalogue.ts';
import { getAddressFamily } from '../address.ts';
import type { Path } from '../paths.ts';
import { isInterfaceName } from '../text-formats.ts';
import { createNodeGroupRule, createNodeRule, type DesignRule, STATIC_NETWORK_DOCS } from './rule.ts';

const words = () => catalogue().designRules;

const BOND_MODES = ['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'];

const interfaceName = createNodeRule(
  { id: 'interface-name', severity: 'error', source: STATIC_NETWORK_DOCS, title: () => words().interfaceName.title },
  (node, report) => {
    const names: { path: Path; name: string }[] = [
      ...(node.interface === null ? [] : [{ path: ['interface'], name: node.interface }]),
      ...(node.bond === null ? [] : [{ path: ['bond', 'name'], name: node.bond.name }]),
      ...(node.bond?.interfaces ?? []).map((name, index) => ({ path: ['bond', 'interfaces', index], name })),
    ];
    for (const { path, name } of names) {
      if (!isInterfaceName(name))
        report(path, { message: words().interfaceName.message(name), fix: words().interfaceName.fix });
    }
  },
);

const bondMode = createNodeRule(
  {
    id: 'bond-mode',
    severity: 'error',
    source: 'Linux Documentation/networking/bonding.rst',
    title: () => words().bondMode.title,
  },
  ({ bond }, report) => {
    if (bond === null || BOND_MODES.includes(bond.mode)) return;
    const fix = words().bondMode.fix(BOND_MODES.join(', '));
    report(['bond', 'mode'], { message: words().bondMode.message(bond.mode), fix });
  },
);

const bondInterfaces = createNodeRule(
  {
    id: 'bond-interfaces',
    severity: 'error',
    source: 'Linux Documentation/networking/bonding.rst: an interface joins a bond once',
    title: () => words().bondInterfaces.title,
  },
  ({ bond }, report) => {
    for (const [index, name] of (bond?.interfaces ?? []).entries()) {
      if (bond?.interfaces.indexOf(name) === index && name !== bond.name) continue;
      report(['bond', 'interfaces', index], {
        message: words().bondInterfaces.message(name),
        fix: words().bondInterfaces.fix,
      });
    }
  },
);

const vlanInterface = createNodeRule(
  { id: 'vlan-interface', severity: 'error', source: STATIC_NETWORK_DOCS, title: () => words().vlanInterface.title },
  ({ vlan, bond, interface: name }, report) => {
    if (vlan === null || bond !== null || name !== null) return;
    report(['vlan'], { message: words().vlanInterface.message(vlan), fix: words().vlanInterface.fix });
  },
);

const interfaceBond = createNodeRule(
  { id: 'interface-bond', severity: 'error', source: STATIC_NETWORK_DOCS, title: () => words().interfaceBond.title },
  ({ bond, interface: name }, report) => {
    if (bond === null || name === null || name === bond.name) return;
    const message = words().interfaceBond.message(name, bond.name);
    report(['interface'], { message, fix: words().interfaceBond.fix });
  },
);

const vlanBoot = createNodeGroupRule(
  {
    id: 'vlan-boot',
    dependsOn: [['services', 'boot']],
    severity: 'warning',
    source: 'firmware sends DHCP and TFTP requests without a VLAN tag unless configured otherwise',
    title: () => words().vlanBoot.title,
  },
  ({ services }) =>
    ({ vlan }) =>
      vlan === null || services.boot.kind !== 'ipxe'
        ? []
        : [{ path: ['vlan'], group: String(vlan), message: words().vlanBoot.message(vlan), fix: words().vlanBoot.fix }],
);

const staticInterface = createNodeGroupRule(
  {
    id: 'static-interface',
    dependsOn: [['services', 'dhcp']],
    severity: 'warning',
    source: STATIC_NETWORK_DOCS,
    title: () => words().staticInterface.title,
  },
  ({ services }) =>
    ({ bond, interface: name, ip }) => {
      const isAllStatic = services.dhcp.kind === 'none';
      const { message, messageIpv6, fix } = words().staticInterface;
      // DHCP assigns IPv4 addresses only; IPv6 addresses come from boot arguments as well.
      const isStatic = isAllStatic || ip.some((address) => getAddressFamily(address) === 6);
      if (!isStatic || bond !== null || name !== null) return [];
      return [{ path: [], group: '', message: isAllStatic ? message : messageIpv6, fix }];
    },
);

export const linkRules: readonly DesignRule[] = [
  interfaceName,
  interfaceBond,
  bondMode,
  bondInterfaces,
  vlanInterface,
  vlanBoot,
  staticInterface,
];
