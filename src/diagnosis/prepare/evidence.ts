import type { Trouble } from '../../text/trouble.ts';
import type { Served } from '../served.ts';

/** `missing`: not there. `wrong`: its bytes are not those that were published. `unchecked`: nothing says what they have to be. */
export type ImageState = 'ok' | 'missing' | 'wrong' | 'unchecked';

/**
 * How far the installer came in a directory. `mixed`: parts of more than one run (manifests beside ignition files, an
 * install-config over an old state, some ignition files without the others).
 */
export type InstallDirState = 'empty' | 'config' | 'manifests' | 'ignition' | 'mixed';

/** The RHCOS images that machines boot from, and where they have to lie. */
export interface ImageEvidence {
  readonly imagesDir: string;
  readonly images: readonly { readonly name: string; readonly state: ImageState }[];
}

/** The state of everything that machines boot with, before the first one is powered on. Times in ms of the clock. */
export interface PrepareEvidence extends ImageEvidence {
  readonly now: number;
  /** The install directory. */
  readonly dir: string;
  readonly programPath: readonly string[];
  /** What the design asks for; `goArchitecture` is the architecture as releases call it. */
  readonly wanted: { readonly version: string; readonly architecture: string; readonly goArchitecture: string };
  /** openshift-install; null where there is none. */
  readonly program: string | null;
  readonly version: { readonly version: string | null; readonly architecture: string | null } | null;
  readonly directory: {
    readonly state: InstallDirState;
    /** When the certificates in the ignition files expire; null before the files exist. */
    readonly expiresAt: number | null;
  };
  /** The files were made from another install-config than the current one. */
  readonly isOfOtherConfig: boolean;
  /** The API of this installation answers: its cluster is running. */
  readonly isAlive: boolean;
  /** Files that machines will request and not get, and from whom. */
  readonly unserved: readonly Served[];
  readonly server: 'ours' | 'other' | null;
  /** Where the generated files of the bastion lie. */
  readonly bastionFiles: string;
}

/** The state of everything that nodes boot with when they join a running cluster. */
export interface LaterEvidence extends ImageEvidence {
  /** The version that the images are of. */
  readonly release: string;
  readonly wanted: { readonly version: string };
  /** "4.18.11"; null: not available. */
  readonly clusterVersion: string | null;
  readonly ignition: {
    readonly isFromCluster: boolean;
    readonly problems: readonly Trouble[];
    readonly server: { readonly state: string } | null;
  };
  /** None fits: it is read from the cluster. */
  readonly mustFetchIgnition: boolean;
}
