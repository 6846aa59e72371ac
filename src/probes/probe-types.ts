import type { ImageState } from '../installer/images.ts';
import type { RefusedSignature } from './image-policy.ts';
import type { SignatureStatus } from './image-signature.ts';

/**
 * The probes of a site by kind, each with the types of its query and its answer. Queries are plain data, so that
 * equal ones are sent once.
 */
interface ProbeTypes {
  /** A query to a name server, or to the resolver of this machine (`server` null). For PTR the name is an address. */
  readonly dns: {
    readonly query: { readonly server: string | null; readonly name: string; readonly type: 'A' | 'AAAA' | 'PTR' };
    readonly answer: {
      readonly state: 'answered' | 'no-name' | 'no-data' | 'refused' | 'timeout' | 'failed';
      /** Sorted. */
      readonly answers: readonly string[];
      readonly detail: string;
    };
  };
  /** How programs of this machine resolve names, and through which proxy and route they reach other networks. */
  readonly machine: { readonly query: object; readonly answer: LocalNetworkSettings };
  /**
   * A name, resolved as programs of this machine do (getaddrinfo). `unknown`: the program for this lookup is missing.
   */
  readonly lookup: {
    readonly query: { readonly name: string };
    readonly answer: {
      readonly state: 'answered' | 'no-name' | 'timeout' | 'unknown';
      /** Sorted. */
      readonly addresses: readonly string[];
      readonly seconds: number;
    };
  };
  /** A TCP port: whether the server accepts connections and keeps them open. */
  readonly tcp: {
    readonly query: { readonly host: string; readonly port: number };
    readonly answer: { readonly state: PortState; readonly detail: string };
  };
  /** The response headers of a file over HTTP; `length` in bytes. */
  readonly head: {
    readonly query: { readonly url: string };
    readonly answer: {
      readonly status: number | null;
      readonly length: number | null;
      readonly detail: string;
      /** Headers that change what arrives; missing: the server does not send them. */
      readonly encoding?: string;
      readonly type?: string;
      readonly location?: string;
    };
  };
  /** The content of a served file, compared with a file in the images directory of this machine. */
  readonly sample: {
    readonly query: { readonly url: string; readonly file: string };
    readonly answer: /** `same`: as far as compared. `unknown`: no file here, or the server does not answer. */
      | { readonly state: 'same'; readonly isFullyCompared: boolean }
      | { readonly state: 'unknown' }
      /** Differs in the part from byte `at`; `path`: the server's copy on this machine was compared, as a whole. */
      | { readonly state: 'other'; readonly at: number; readonly path: string | null }
      /** The headers arrived, but only this many bytes of the data. */
      | { readonly state: 'stalled'; readonly bytes: number };
  };
  /** A short text over HTTP; `text` null unless the status is 200. */
  readonly text: {
    readonly query: { readonly url: string };
    readonly answer: { readonly status: number | null; readonly text: string | null; readonly detail: string };
  };
  /** A file of a TFTP server; `bytes` null: the transfer was not complete. `head`: its first two bytes, as Latin-1. */
  readonly tftp: {
    readonly query: { readonly server: string; readonly path: string };
    readonly answer: {
      readonly state: 'fetched' | 'refused' | 'timeout' | 'failed';
      readonly bytes: number | null;
      readonly head?: string;
      readonly detail: string;
    };
  };
  /** The members of HAProxy's pools, from its status page; null: the page does not answer. */
  readonly members: {
    /** `attempt`: the number of a repeated query, which is sent after a delay of a second. */
    readonly query: { readonly host: string; readonly port: number; readonly attempt?: number };
    readonly answer:
      | readonly {
          readonly pool: string;
          readonly name: string;
          readonly status: string;
          /** Address and port; left out if not reported. */
          readonly address?: string;
          readonly mode?: 'tcp' | 'http';
          /** The result of its last check; left out if not reported. */
          readonly check?: string;
          /** Seconds since its status changed; left out if not reported. */
          readonly unchangedFor?: number;
        }[]
      | null;
  };
  /**
   * Whether full-size Ethernet packets reach a host. `page`: a page there that is larger than a packet; null if no such
   * page is known.
   */
  readonly packets: {
    readonly query: { readonly host: string; readonly page: string | null };
    readonly answer: /** `silent`: the host does not answer small packets either, or not reliably. */
      | { readonly state: 'passed' | 'silent' }
      /** Bytes: packets of `size` are lost, those of `passing` arrive. `stalls`: whether the page stopped halfway. */
      | {
          readonly state: 'lost';
          readonly size: number;
          readonly passingSize: number;
          readonly isPageStalled: boolean | null;
        };
  };
  /**
   * The MAC address that answers for an address on the networks of this machine. `mac` null: no answer. `others`:
   * further MAC addresses that answer, which only arping finds; they are searched only with `shouldFindOthers`.
   */
  readonly neighbour: {
    readonly query: { readonly address: string; readonly shouldFindOthers?: boolean };
    readonly answer: { readonly isLocal: boolean; readonly mac: string | null; readonly otherMacs?: readonly string[] };
  };
  /**
   * The offers of a DHCP server to these machines, and those of other servers on the networks of this machine. No offer
   * is accepted.
   */
  readonly dhcp: {
    readonly query: {
      readonly server: string;
      readonly machines: readonly DhcpMachine[];
      /** Architecture of their firmware, option 93 (RFC 4578); null: a request as from an operating system. */
      readonly architecture: number | null;
    };
    readonly answer: {
      /** Whether the server itself was queried, and whether the broadcast was sent. */
      readonly relay: DhcpQueryState;
      readonly broadcast: DhcpQueryState;
      readonly offers: readonly DhcpOffer[];
    };
  };
  /** The state of a service host, read over SSH or on this machine. */
  readonly host: {
    readonly query: { readonly name: string; readonly address: string; readonly isSelf: boolean };
    readonly answer: /** The host could not be inspected; `detail` is the reason. */
      | { readonly state: 'unknown'; readonly detail: string }
      /** SSH refused the login. */
      | { readonly state: 'refused'; readonly detail: string; readonly remedy: string }
      | {
          readonly state: 'known';
          /** Offset of its clock from the clock of this machine in ms; null: not reported. */
          readonly offsetMs: number | null;
          /** Half of the duration of the login, in ms: the clock was read at an unknown moment of the login. */
          readonly uncertaintyMs?: number;
          /** Its default routes; the route in use comes first. */
          readonly defaultRoutes?: readonly DefaultRoute[];
          /** Whether commands can run as root on the host without a password. */
          readonly isRoot: boolean;
          /** Whether sudo exists and could ask for a password, for a user without root access. */
          readonly hasSudo: boolean;
          /**
           * The changes that the generated script would still make; `absent`: the script is not in place; `broken`: it
           * fails; null: only root can run it.
           */
          readonly firewall: readonly string[] | 'absent' | 'broken' | null;
          readonly selinux: readonly string[] | 'absent' | 'broken' | null;
          /** The part that only root can read; left out if it was not read. */
          readonly networkState?: PrivilegedHostState;
        };
  };
  /** The current files of a service host; null: missing or not readable. */
  readonly files: {
    readonly query: {
      readonly name: string;
      readonly address: string;
      readonly isSelf: boolean;
      readonly paths: readonly string[];
    };
    readonly answer:
      | { readonly state: 'unknown'; readonly detail: string }
      | { readonly state: 'known'; readonly texts: readonly (string | null)[] };
  };
  /** The servers that a service host can connect to, and their answers to it, read over SSH. */
  readonly reach: {
    readonly query: { readonly name: string; readonly address: string; readonly targets: readonly ReachTarget[] };
    readonly answer:
      | { readonly state: 'unknown'; readonly detail: string }
      /** In the order of the query; null: not observed. */
      | { readonly state: 'known'; readonly results: readonly (ReachResult | null)[] };
  };
  /**
   * The programs of services on a host: whether they run, and when each has read its files last. Needs root on the
   * host.
   */
  readonly services: {
    readonly query: {
      readonly name: string;
      readonly address: string;
      readonly isSelf: boolean;
      readonly services: readonly {
        readonly unit: string;
        /** As in /proc/PID/comm. */
        readonly process: string;
        readonly paths: readonly string[];
      }[];
    };
    readonly answer:
      | { readonly state: 'unknown'; readonly detail: string }
      | {
          readonly state: 'known';
          /** In the order of the query. */
          readonly services: readonly ServiceProcess[];
        };
  };
  /** The installer's ignition files in the install directory, and the boot server's copies of them. */
  readonly ignition: {
    readonly query: {
      readonly files: readonly { readonly name: string; readonly url: string; readonly pointsTo: string | null }[];
    };
    readonly answer: {
      /**
       * Expiry of the first certificate in bootstrap.ign, and the current time: ms of the clock. Null: no such file.
       */
      readonly expiresAt: number | null;
      readonly now: number;
      readonly files: readonly {
        readonly name: string;
        readonly isPresent: boolean;
        /** The problem of the installer's file itself, as text; null: none, or no such file. */
        readonly problem: string | null;
        readonly content: 'same' | 'other' | 'unknown';
        /** The source of the served copy, and how it differs, as text; empty if unknown. */
        readonly servedDetail: string;
      }[];
    };
  };
  /** Reports of iPXE in the log of the boot server of the wizard, by machine; empty: there is none. */
  readonly machines: {
    readonly query: { readonly names: readonly string[] };
    readonly answer: {
      readonly name: string;
      /** ms of the clock since the last report. */
      readonly ageMs: number;
      /** Why the machine cannot be installed as planned, and what it does not reach, in words. */
      readonly problems: readonly string[];
    }[];
  };
  /** RHCOS images on this machine. */
  readonly images: {
    readonly query: { readonly files: readonly string[] };
    readonly answer: readonly { readonly name: string; readonly state: ImageState }[];
  };
  /**
   * A registry, with the login of the pull secret: whether it accepts the login, and whether a repository exists (null:
   * not queried; empty: the registry as a whole is a mirror). A mirror of the release is also queried for the release
   * of openshift-install.
   */
  readonly registry: {
    readonly query: { readonly registry: string; readonly repository: string | null };
    readonly answer: {
      /**
       * `not-queried`: probes outside of the site were not requested. `no-secret`: no pull secret is readable. `open`:
       * the registry needs no login.
       */
      readonly state:
        | (
            | 'not-queried'
            | 'no-secret'
            | 'accepted'
            | 'open'
            | 'needs-login'
            | 'refused'
            | 'no-registry'
            | 'no-repository'
          )
        | ('untrusted' | 'unreachable' | 'proxy-failed' | 'proxy-refused');
      /** The proxy in use, as text; null: none. */
      readonly proxy: string | null;
      readonly detail: string;
      /** Undefined if the repository is no mirror of the release, or the release is not known. */
      readonly release?: {
        /** `sha256:…` */
        readonly digest: string;
        /** Null: not observed. */
        readonly isPresent: boolean | null;
        /** The place of its sigstore signature; nodes read only one that is stored as a tag. Null: not reported. */
        readonly signature: SignatureStatus['signature'];
        /** The verdict of the release's own policy on a signature in the tag. */
        readonly verdict: SignatureStatus['verdict'];
        /** Null: its list of images was not read, or the registry does not report it. */
        readonly payload: PayloadSample | null;
      };
    };
  };
  /**
   * The certificate that a TLS server presents to a client that requests this name. Nothing is sent over the
   * connection.
   */
  readonly certificate: {
    readonly query: {
      readonly host: string;
      readonly port: number;
      readonly name: string;
      /**
       * The CAs to compare with: those of the kubeconfig, those of the ignition files, the CA bundle beside the public
       * CAs, or none.
       */
      readonly authority: 'api' | 'machine-config' | 'bundle' | 'none';
    };
    readonly answer: /** `now`: ms of the clock, to compare with the times of the certificate. */
      | {
          readonly state: 'tls';
          readonly detail: string;
          readonly certificate: ServedCertificate;
          readonly now: number;
        }
      /**
       * `refused`: nothing listens. `closed`: no connection, or closed at once. `not-tls`: another protocol answers.
       * `silent`: it accepts, and sends nothing. `failed`: TLS, but no handshake.
       */
      | { readonly state: 'refused' | 'closed' | 'not-tls' | 'silent' | 'failed'; readonly detail: string };
  };
  /** The date from the response of a TLS server. */
  readonly date: {
    readonly query: { readonly host: string; readonly port: number };
    readonly answer: {
      readonly offsetMs: number | null;
      /** Uncertainty from the duration of the response, in ms. */
      readonly uncertaintyMs?: number;
      readonly isPresent: boolean;
      readonly detail: string;
    };
  };
  /**
   * A time server, with the offset of its clock from the clock of this machine in ms. `isNotQueried`: probes outside of
   * the site were not requested.
   */
  readonly time: {
    readonly query: { readonly server: string };
    readonly answer: {
      readonly offsetMs: number | null;
      /** Uncertainty from the network round trip, in ms (the root distance of RFC 5905 without the server's own). */
      readonly uncertaintyMs?: number;
      readonly detail: string;
      readonly isNotQueried?: true;
    };
  };
}

/** The images of a release that were looked for in a mirror. */
export interface PayloadSample {
  /** Number of images of the release that this registry mirrors. */
  readonly totalCount: number;
  readonly queriedCount: number;
  /** Names of the images that are missing there: `etcd`. */
  readonly missing: readonly string[];
  /** Names of the images without a signature; empty where images need no signature. */
  readonly unsigned: readonly string[];
  /** The images whose signature the policy of the release refuses. */
  readonly refused: readonly RefusedImage[];
}

/** An image whose signature nodes refuse. */
export interface RefusedImage {
  readonly name: string;
  readonly verdict: RefusedSignature;
}

/** The state of a service host that only root can read. */
export interface PrivilegedHostState {
  /** Its packet filters, as their own tools list them; null: none of the tools is there, so nothing filters. */
  readonly filter: {
    readonly nft: { readonly json: string; readonly listing: string } | null;
    /** Output of iptables-save and ip6tables-save; a tool whose name ends in -legacy does not use nftables. */
    readonly tables: readonly { readonly tool: string; readonly text: string }[];
    /** Whether all of them could be read. */
    readonly isComplete: boolean;
  } | null;
  readonly interfaces: readonly NetworkInterface[];
  /** The interface of its default route; null: none. */
  readonly defaultInterface: string | null;
  readonly keepalived: {
    readonly isRunning: boolean;
    /** The last lines of its journal, the newest last. */
    readonly journal: readonly string[];
  };
  /** Configurations of the servers that run there, as texts; null: it does not run, or the text could not be read. */
  readonly configs: { readonly nginx: string | null; readonly named: string | null; readonly haproxy: string | null };
  /** The user that named runs as, and the zone files that this user cannot read. */
  readonly unreadableZones?: { readonly user: string; readonly files: readonly HostFile[] };
  /** The command line of dhcpd; null: it does not run. */
  readonly dhcpd: string | null;
  /** Another web server (nginx, httpd): its user, and the files of the web root that it can read. Null: none runs. */
  readonly web: {
    readonly user: string;
    readonly files: readonly HostFile[];
    readonly readable: readonly string[];
  } | null;
  /** Files and folders of the TFTP server; empty: there is none. */
  readonly tftp: readonly HostFile[];
}

/** A file or folder of a service host. */
export interface HostFile {
  readonly path: string;
  readonly isFolder: boolean;
  /** Permission bits. */
  readonly mode: number;
  readonly owner: string;
}

/** A network interface; addresses with their prefix length. */
export interface NetworkInterface {
  readonly name: string;
  readonly mac: string;
  readonly mtu?: number;
  readonly addresses: readonly string[];
}

/** A line of /etc/hosts, with its number. */
export interface HostsLine {
  readonly line: number;
  readonly text: string;
  readonly address: string;
  /** In lower case. */
  readonly names: readonly string[];
}

export interface DefaultRoute {
  readonly device: string;
  readonly gateway: string;
  readonly metric: number;
}

/** How programs of this machine resolve names, and how they reach other networks. */
export interface LocalNetworkSettings {
  /** /etc/resolv.conf; `writer` is the program that writes it. */
  readonly resolver: {
    readonly servers: readonly string[];
    readonly search: readonly string[];
    readonly ndots: number;
    readonly isRotationEnabled: boolean;
    readonly writer: 'NetworkManager' | 'dhclient' | 'other';
  };
  /** The name servers of systemd-resolved; null: it does not run. */
  readonly resolvedServers: readonly string[] | null;
  readonly hosts: readonly HostsLine[];
  /** Sources of host names in nsswitch.conf (`files dns`); null: it lists none. */
  readonly lookupSources: string | null;
  /** Proxy variables of the environment, as host and port. */
  readonly proxies: readonly { readonly name: string; readonly value: string }[];
  readonly noProxy: string;
  /** The file and line that set a proxy variable (`/etc/environment:3`); null: not known. */
  readonly proxyFile: string | null;
  /** The route in use comes first. */
  readonly defaultRoutes: readonly DefaultRoute[];
}

/**
 * Whether DHCP could be queried. `not-here`: this machine is on no network of the machines. `same-host`: this machine
 * is the server. `port-taken`: another program here uses the UDP port for the answers. `not-permitted`: it needs root.
 * `unreachable`: no route.
 */
type DhcpQueryState = 'queried' | 'not-here' | 'same-host' | 'port-taken' | 'not-permitted' | 'unreachable';

/**
 * A machine that requests an address. `network`: an address of its network, for a server that is queried from another
 * network.
 */
export interface DhcpMachine {
  readonly mac: string;
  readonly network: string;
  /** The requesting program; missing: TFTP firmware of the queried architecture. */
  readonly client?: DhcpClient;
}

/** A program that requests an address before it boots: firmware that boots over TFTP or HTTP, or iPXE. */
export interface DhcpClient {
  readonly kind: 'tftp' | 'http' | 'ipxe';
  /** Architecture of the firmware, option 93 (RFC 4578). */
  readonly architecture: number;
}

/** A server's offer to a machine. Null or empty: it has no such option. */
export interface DhcpOffer {
  readonly mac: string;
  /** The requesting program, as in the query. */
  readonly client?: DhcpClient;
  readonly address: string;
  readonly netmask: string | null;
  /** The server's identifier (option 54), else the source address of the answer. */
  readonly server: string;
  /** The MAC address of the server, if the server is in a network of this machine and is not the queried one. */
  readonly serverMac?: string;
  readonly gateways: readonly string[];
  readonly nameServers: readonly string[];
  readonly timeServers: readonly string[];
  readonly hostName: string | null;
  readonly domain: string | null;
  readonly searchDomains: readonly string[];
  /** Bytes. */
  readonly mtu: number | null;
  readonly leaseSeconds: number | null;
  /** Option 60; firmware that boots over HTTP requires `HTTPClient`. */
  readonly vendorClass: string | null;
  /** The boot file, a path or a URL; null: none. */
  readonly file: string | null;
  readonly nextServer: string;
}

/** A service as observed on its host. Times in seconds since 1970. */
export interface ServiceProcess {
  /** Whether a process of its name runs on the host itself, not in a container with a network of its own. */
  readonly isRunning: boolean;
  /** The state that `systemctl is-active` prints; empty without systemd. */
  readonly unitState: string;
  /** The configuration files in its arguments; empty: it reads the usual one. */
  readonly configFiles?: readonly string[];
  /** The last lines of its journal if it does not run. */
  readonly log: readonly string[];
  /** The files that exist there: when each was changed, and read last. */
  readonly files: readonly {
    readonly path: string;
    readonly changedAt: number;
    /** Null: not known. */
    readonly readAt: number | null;
    /** The start of the process; given only if the process may have read the file again since. */
    readonly startedAt?: number;
  }[];
}

/** A certificate as a TLS server presents it. Times are milliseconds since the epoch. */
export interface ServedCertificate {
  /** SHA-256. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly issuer: string;
  readonly isSelfSigned: boolean;
  /** Names and addresses that it is valid for. */
  readonly names: readonly string[];
  /** Whether it is valid for the name of the query. */
  readonly isValidForName: boolean;
  readonly validFrom: number;
  readonly validUntil: number;
  /**
   * `other-run`: its issuer has the name of a known CA and another key. `foreign`: none of the known CAs issued it.
   * `unknown`: no CA is known.
   */
  readonly trust: 'trusted' | 'other-run' | 'foreign' | 'unknown';
}

/**
 * A port that another host connects to. `request`: the host also sends this request; without one, the host only opens a
 * TCP connection.
 */
export interface ReachTarget {
  readonly host: string;
  readonly port: number;
  readonly request?: { readonly dnsName: string } | { readonly httpPath: string };
}

/** `denied`: the server answered with a refusal: `REFUSED`, `HTTP 403`. */
export type ReachResult =
  | { readonly state: 'open' | 'silent' | 'refused' }
  | { readonly state: 'denied'; readonly answer: string };

/**
 * The query did not reach the site: this machine blocked it, or has no route to the target or cannot resolve its
 * name. The state of the target is unknown.
 */
export interface Unmeasurable {
  readonly isUnmeasured: true;
  /** The reason, as text. */
  readonly detail: string;
}

/** Whether the query did not reach the site. */
export function isUnmeasurable(answer: object | null): answer is Unmeasurable {
  return answer !== null && 'isUnmeasured' in answer;
}

/** Whether a name server gave no answer; a server that does not know the name has answered. */
export function isDnsSilent(state: ProbeAnswer<'dns'>['state']): boolean {
  return state === 'timeout' || state === 'refused';
}

export type ProbeKind = keyof ProbeTypes;
export type ProbeQuery<K extends ProbeKind> = ProbeTypes[K]['query'];
export type ProbeAnswer<K extends ProbeKind> = ProbeTypes[K]['answer'];

/**
 * State of a host's port as probed from this machine. `closed-at-once`: accepted and closed, as by a load balancer
 * without a member. `unsent`: the probe could not leave this machine (no route, or its own firewall blocks it), so the
 * port's state is unknown.
 */
export type PortState = 'open' | 'refused' | 'timeout' | 'unreachable' | 'closed-at-once' | 'unsent';
