import type { DhcpMachine } from './exchange.ts';

/** Kinds of generated files that a service reads. */
export const CONFIG_KINDS = ['bind-conf', 'bind-zone', 'haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4'] as const;
export type ConfigKind = (typeof CONFIG_KINDS)[number];

/** What the design makes of the site, as far as checks compare with it. */
export interface Site {
  readonly nameServers: readonly string[];
  /** Forward records by name, with all addresses of one family; a wildcard begins with `*.`. */
  readonly names: readonly {
    readonly name: string;
    readonly type: 'A' | 'AAAA';
    readonly addresses: readonly string[];
    readonly of: 'api' | 'api-int' | 'apps' | 'node' | 'host';
  }[];
  readonly reverse: readonly {
    readonly address: string;
    readonly names: readonly string[];
    readonly isOfNode: boolean;
  }[];
  readonly clusterDomain: string;
  readonly baseDomain: string;
  /** Images come from the internet, not from a mirror. */
  readonly isConnected: boolean;
  /** Ports of the endpoints; empty where the node itself is what they lead to. */
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
  /** HAProxy is generated here, and tells its members. */
  readonly balancers: readonly { readonly name: string; readonly address: string; readonly statsPort: number }[];
  /** `members`: names; `places`: address and port of each, as HAProxy writes them. `isOpaque`: its TLS passes unopened. */
  readonly pools: readonly {
    readonly pool: string;
    readonly members: readonly string[];
    readonly places: readonly string[];
    readonly isOpaque: boolean;
  }[];
  readonly bootstrap: string | null;
  /** Where machines boot from over the network; null: from an ISO. */
  readonly boot: {
    readonly url: string;
    readonly tftpServer: string;
    /** Programs by TFTP, and below /boot by HTTP. */
    readonly programs: readonly string[];
    readonly script: string;
    readonly scripts: readonly { readonly node: string; readonly path: string; readonly holds: readonly string[] }[];
  } | null;
  readonly version: string;
  /** The install directory, and where the images lie. */
  readonly dir: string;
  readonly imagesDir: string;
  /** `bytes`: as it lies here; null: it does not. */
  readonly images: readonly { readonly url: string; readonly file: string; readonly bytes: number | null }[];
  /** In the installer's order; `pointsTo`: where its node fetches the rest; null: it is whole. */
  readonly ignition: readonly { readonly file: string; readonly url: string; readonly pointsTo: string | null }[];
  readonly nodes: readonly { readonly name: string; readonly address: string; readonly mac: string }[];
  readonly timeServers: readonly string[];
  /** Where images come from: hosts (with ports) that the release is pulled from, those of the pull secret (null: unreadable), repositories. */
  readonly registries: {
    readonly needed: readonly string[];
    readonly known: readonly string[] | null;
    readonly mirrors: readonly string[];
    /** The URL of the proxy for HTTPS, without a login. */
    readonly proxy: string | null;
    /** The pull secret. */
    readonly file: string | null;
  };
  /** Null: nodes get their addresses in another way. */
  readonly dhcp: {
    readonly server: string;
    /** All addresses of its host. */
    readonly own: readonly string[];
    readonly nameServers: readonly string[];
    readonly architecture: number | null;
    /** Each node with what it is to be offered; `file` null: it boots in another way. */
    readonly machines: readonly (DhcpMachine & {
      readonly node: string;
      readonly address: string;
      readonly gateway: string | null;
      readonly file: string | null;
    })[];
  } | null;
  /** `isSelf`: it is this machine. `scripts`: what is generated for it that judges its own system. */
  readonly hosts: readonly {
    readonly name: string;
    readonly address: string;
    readonly isSelf: boolean;
    readonly scripts: readonly ('firewall' | 'selinux')[];
    /** What its services read, and what was generated for it: one text for each stage that has another. */
    readonly configs: readonly {
      readonly kind: ConfigKind;
      readonly path: string;
      readonly planned: readonly string[];
    }[];
  }[];
  /** Where the API answers, and where its bootstrap node waits for the nodes' connections; null: this version has none. */
  readonly api: string;
  readonly konnectivity: { readonly bootstrap: string; readonly hasRoute: boolean } | null;
}
