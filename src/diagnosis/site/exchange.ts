import type { PortState } from '../bootstrap/evidence.ts';
import type { ImageState } from '../prepare/evidence.ts';

/** What can be asked of a site, by kind: the question, and what comes back. Questions are data, so that one is asked once. */
export interface Exchanges {
  /** A name server, or the one that this machine uses (`server` null). For PTR the name is an address. */
  readonly dns: {
    readonly question: { readonly server: string | null; readonly name: string; readonly type: 'A' | 'AAAA' | 'PTR' };
    readonly answer: {
      readonly state: 'answered' | 'no-name' | 'no-data' | 'refused' | 'timeout' | 'failed';
      /** Sorted. */
      readonly answers: readonly string[];
      readonly detail: string;
    };
  };
  /** A port: whether somebody accepts connections, and keeps them. */
  readonly tcp: {
    readonly question: { readonly host: string; readonly port: number };
    readonly answer: { readonly state: PortState; readonly detail: string };
  };
  /** The head of a file over HTTP; `length` in bytes. */
  readonly head: {
    readonly question: { readonly url: string };
    readonly answer: { readonly status: number | null; readonly length: number | null; readonly detail: string };
  };
  /** A short text over HTTP; `text` null unless the status is 200. */
  readonly text: {
    readonly question: { readonly url: string };
    readonly answer: { readonly status: number | null; readonly text: string | null; readonly detail: string };
  };
  /** A file of a TFTP server; `bytes` null: it was not fetched whole. `head`: its first two bytes, as Latin-1. */
  readonly tftp: {
    readonly question: { readonly server: string; readonly path: string };
    readonly answer: {
      readonly state: 'fetched' | 'refused' | 'timeout' | 'failed';
      readonly bytes: number | null;
      readonly head?: string;
      readonly detail: string;
    };
  };
  /** The members of a HAProxy's pools, from its status page; null: it does not tell. */
  readonly members: {
    readonly question: { readonly host: string; readonly port: number };
    readonly answer:
      | readonly {
          readonly pool: string;
          readonly name: string;
          readonly status: string;
          /** Address and port; left out where it does not tell. */
          readonly address?: string;
          readonly mode?: 'tcp' | 'http';
        }[]
      | null;
  };
  /** Who has an address on the networks that this machine is in. `mac` null: nobody answered. */
  readonly neighbour: {
    readonly question: { readonly address: string };
    readonly answer: { readonly isLocal: boolean; readonly mac: string | null };
  };
  /** What a DHCP server offers to these machines, and what others on the networks of this machine offer. Nobody takes an offer. */
  readonly dhcp: {
    readonly question: {
      readonly server: string;
      readonly machines: readonly DhcpMachine[];
      /** Of their firmware, option 93 (RFC 4578); null: as an operating system asks. */
      readonly architecture: number | null;
    };
    readonly answer: {
      /** Asking the server itself, and asking everybody. */
      readonly relay: DhcpAsked;
      readonly broadcast: DhcpAsked;
      readonly offers: readonly DhcpOffer[];
    };
  };
  /** A service host, looked at from inside: over SSH, or as this machine. */
  readonly host: {
    readonly question: { readonly name: string; readonly address: string; readonly isSelf: boolean };
    readonly answer: /** Nobody could look; why, in words. */
      | { readonly state: 'unseen'; readonly detail: string }
      /** SSH did not let us in. */
      | { readonly state: 'refused'; readonly detail: string; readonly remedy: string }
      | {
          readonly state: 'seen';
          /** Of its clock from ours, milliseconds; null: it did not say. */
          readonly offsetMs: number | null;
          /** Commands run as root there without a password. */
          readonly isRoot: boolean;
          /** For whoever is not root: whether there is a sudo that could ask. */
          readonly hasSudo: boolean;
          /** What the generated script would still change; `absent`: it is not in place; `broken`: it fails; null: only root can tell. */
          readonly firewall: readonly string[] | 'absent' | 'broken' | null;
          readonly selinux: readonly string[] | 'absent' | 'broken' | null;
        };
  };
  /** Files of a service host, as they are there; null: it is not there, or cannot be read. */
  readonly files: {
    readonly question: {
      readonly name: string;
      readonly address: string;
      readonly isSelf: boolean;
      readonly paths: readonly string[];
    };
    readonly answer:
      | { readonly state: 'unseen'; readonly detail: string }
      | { readonly state: 'seen'; readonly texts: readonly (string | null)[] };
  };
  /** The installer's ignition files in the install directory, and what the boot server serves in their place. */
  readonly ignition: {
    readonly question: {
      readonly files: readonly { readonly name: string; readonly url: string; readonly pointsTo: string | null }[];
    };
    readonly answer: {
      /** When the first certificate of bootstrap.ign ends, and now: ms of the clock. Null: there is no such file. */
      readonly expiresAt: number | null;
      readonly now: number;
      readonly files: readonly {
        readonly name: string;
        readonly isThere: boolean;
        /** What is wrong with it by itself, in words. */
        readonly problem: string | null;
        readonly served: 'same' | 'other' | 'unseen';
        /** In words. */
        readonly servedBy: string;
      }[];
    };
  };
  /** RHCOS images on this machine. */
  readonly images: {
    readonly question: { readonly files: readonly string[] };
    readonly answer: readonly { readonly name: string; readonly state: ImageState }[];
  };
  /** A registry, with the login of the pull secret: whether it opens, and whether a repository is there (null: not asked). */
  readonly registry: {
    readonly question: { readonly registry: string; readonly repository: string | null };
    readonly answer: {
      /** `unasked`: nobody was to look outside. `no-secret`: no pull secret can be read. `open`: it asks for no login. */
      readonly state:
        | ('unasked' | 'no-secret' | 'accepted' | 'open' | 'needs-login' | 'refused' | 'no-registry' | 'no-repository')
        | ('untrusted' | 'unreachable' | 'proxy-failed' | 'proxy-refused');
      /** The proxy on the way, in words; null: there is none. */
      readonly via: string | null;
      readonly detail: string;
    };
  };
  /** The date that a TLS server gives. */
  readonly date: {
    readonly question: { readonly host: string; readonly port: number };
    readonly answer: {
      readonly offsetMs: number | null;
      /** What the time that the answer took may hide of it, milliseconds. */
      readonly withinMs?: number;
      readonly isThere: boolean;
      readonly detail: string;
    };
  };
  /** A time server; how far its clock is from ours, in milliseconds. `isUnasked`: nobody was to look outside. */
  readonly time: {
    readonly question: { readonly server: string };
    readonly answer: {
      readonly offsetMs: number | null;
      /** What the way of the answer may hide of it, milliseconds (the root distance of RFC 5905 without the server's own). */
      readonly withinMs?: number;
      readonly detail: string;
      readonly isUnasked?: true;
    };
  };
}

/**
 * Whether DHCP could be asked. `not-here`: no wire of its machines is one of this machine. `itself`: this machine is the server.
 * `port-taken`: something here has the UDP port for the answers. `not-permitted`: that takes root. `unreachable`: no route.
 */
export type DhcpAsked = 'asked' | 'not-here' | 'itself' | 'port-taken' | 'not-permitted' | 'unreachable';

/** A machine that asks for an address; `network`: an address of its network, for a server that is asked from another one. */
export interface DhcpMachine {
  readonly mac: string;
  readonly network: string;
}

/** What a server offers to a machine. */
export interface DhcpOffer {
  readonly mac: string;
  readonly address: string;
  /** What the server calls itself (option 54), else where the answer came from. */
  readonly server: string;
  readonly gateways: readonly string[];
  readonly nameServers: readonly string[];
  /** What the firmware is to load: a file or a URL; null: nothing. */
  readonly file: string | null;
  readonly nextServer: string;
}

/**
 * Nothing of the question reached the site: this machine kept it in, or has no way or no name for whom it was for. Whatever is wrong
 * there, or right, is not known.
 */
export interface Unmeasured {
  readonly isUnmeasured: true;
  /** In words. */
  readonly detail: string;
}

export function isUnmeasured(answer: object | null): answer is Unmeasured {
  return answer !== null && 'isUnmeasured' in answer;
}

export type Kind = keyof Exchanges;
export type Question<K extends Kind> = Exchanges[K]['question'];
export type Answer<K extends Kind> = Exchanges[K]['answer'];
