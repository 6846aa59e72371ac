import type { DhcpMachine } from '../../probes/probe-types.ts';

/** Kinds of generated files that a service reads. */
export const CONFIG_KINDS = ['bind-conf', 'bind-zone', 'haproxy', 'keepalived', 'isc-dhcpd', 'kea-dhcp4'] as const;
type ConfigKind = (typeof CONFIG_KINDS)[number];

/** The site as the design expects it, as far as checks compare with it. */
export interface ExpectedSite {
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
  /** Ports of the endpoints; empty for a single node, which is its own endpoint. */
  readonly listeners: readonly { readonly host: string; readonly port: number }[];
  /** Generated HAProxy load balancers, whose status page lists their members. */
  readonly balancers: readonly { readonly name: string; readonly address: string; readonly statsPort: number }[];
  /**
   * `members`: names. `places`: address and port of each, as HAProxy prints them. `isOpaque`: TLS is passed through.
   */
  readonly pools: readonly {
    readonly pool: string;
    readonly members: readonly string[];
    readonly places: readonly string[];
    readonly isOpaque: boolean;
  }[];
  readonly bootstrap: string | null;
  /** Network boot; null: machines boot from an ISO. */
  readonly boot: {
    readonly url: string;
    readonly tftpServer: string;
    /** Boot programs, served by TFTP and over HTTP under /boot. */
    readonly programs: readonly string[];
    readonly script: string;
    /** `holds`: texts that the script must contain. */
    readonly scripts: readonly { readonly node: string; readonly path: string; readonly holds: readonly string[] }[];
  } | null;
  readonly version: string;
  /** The install directory, and the directory of the images. */
  readonly dir: string;
  readonly imagesDir: string;
  /** `bytes`: size of the local file; null: there is none. */
  readonly images: readonly { readonly url: string; readonly file: string; readonly bytes: number | null }[];
  /**
   * In the installer's order. `pointsTo`: URL that a pointer ignition fetches the rest from; null: the file is
   * complete.
   */
  readonly ignition: readonly { readonly file: string; readonly url: string; readonly pointsTo: string | null }[];
  readonly nodes: readonly { readonly name: string; readonly address: string; readonly mac: string }[];
  readonly timeServers: readonly string[];
  /**
   * Image sources: hosts (with ports) that the release is pulled from, hosts of the pull secret (null: unreadable),
   * mirror repositories.
   */
  readonly registries: {
    readonly needed: readonly string[];
    readonly known: readonly string[] | null;
    readonly mirrors: readonly string[];
    /** The URL of the proxy for HTTPS, without a login. */
    readonly proxy: string | null;
    /** Path of the pull secret. */
    readonly file: string | null;
  };
  /** Null: nodes get their addresses in another way. */
  readonly dhcp: {
    readonly server: string;
    /** All addresses of the server's host. */
    readonly serverAddresses: readonly string[];
    readonly nameServers: readonly string[];
    readonly architecture: number | null;
    /** Each node with its expected offer; `file` null: the offer names no boot file. */
    readonly machines: readonly (DhcpMachine & {
      readonly node: string;
      readonly address: string;
      readonly gateway: string | null;
      readonly file: string | null;
    })[];
  } | null;
  /** `isSelf`: it is this machine. `scripts`: generated scripts that check their own system. */
  readonly hosts: readonly {
    readonly name: string;
    readonly address: string;
    readonly isSelf: boolean;
    readonly scripts: readonly ('firewall' | 'selinux')[];
    /** Configuration files of its services and their generated contents: one text per stage if the stages differ. */
    readonly configs: readonly {
      readonly kind: ConfigKind;
      readonly path: string;
      readonly planned: readonly string[];
    }[];
  }[];
  /**
   * `api`: address of the API endpoint. `konnectivity`: address of the bootstrap node that nodes connect to; null: this
   * version has none.
   */
  readonly api: string;
  readonly konnectivity: { readonly bootstrap: string; readonly hasRoute: boolean } | null;
}
