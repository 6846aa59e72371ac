import type { Served } from '../served.ts';

/** The RHCOS images that machines boot from, and where they have to lie. */
export interface ImageEvidence {
  readonly imagesDir: string;
  readonly images: readonly { readonly name: string; readonly state: 'ok' | 'missing' | 'wrong' | 'unchecked' }[];
}

/** What was seen of what machines boot with, before one is switched on. Times in ms of the clock. */
export interface PrepareEvidence extends ImageEvidence {
  readonly now: number;
  /** The install directory. */
  readonly dir: string;
  readonly programPath: readonly string[];
  /** What the design asks for; `goArchitecture` is the architecture as releases call it. */
  readonly wanted: { readonly version: string; readonly architecture: string; readonly goArchitecture: string };
  /** openshift-install; null where there is none. */
  readonly program: string | null;
  readonly version: { readonly version: string; readonly architecture: string | null } | null;
  readonly directory: {
    /** `mixed`: parts of more than one run. */
    readonly state: 'empty' | 'config' | 'manifests' | 'ignition' | 'mixed';
    /** When the certificates in the ignition files expire; null before they are made. */
    readonly expiresAt: number | null;
  };
  /** What was made here was made of another install-config than the one that is generated now. */
  readonly isOfOtherConfig: boolean;
  /** The API of what was made here answers: a cluster lives from it. */
  readonly isAlive: boolean;
  /** What machines will ask for and not get, from whom. */
  readonly unserved: readonly Served[];
  readonly server: 'ours' | 'other' | null;
  /** Where the generated files of the bastion lie. */
  readonly bastionFiles: string;
}

/** What was seen of what nodes boot with that join a cluster which runs. */
export interface LaterEvidence extends ImageEvidence {
  /** The version that the images are of. */
  readonly release: string;
  readonly wanted: { readonly version: string };
  /** "4.18.11"; null while nobody says. */
  readonly clusterVersion: string | null;
}
