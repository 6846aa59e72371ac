import type { UserError } from '../../i18n/user-error.ts';
import type { ImageState } from '../../installer/images.ts';
import type { InstallDirState } from '../../installer/install-dir.ts';
import type { ServedFile } from '../files.ts';

/** The RHCOS images that machines boot, and their directory. */
export interface ImageEvidence {
  readonly imagesDir: string;
  readonly images: readonly { readonly name: string; readonly state: ImageState }[];
  /** The directory that missing downloads are taken from; null or missing: the internet. */
  readonly downloadsDir?: string | null;
}

/** The state of everything that machines boot with, before the first power-on. Times in ms of the clock. */
export interface PrepareEvidence extends ImageEvidence {
  readonly now: number;
  /** The install directory. */
  readonly dir: string;
  readonly programDirectories: readonly string[];
  /** The requirements of the design; `goArchitecture` is the architecture as releases call it. */
  readonly requirements: { readonly version: string; readonly architecture: string; readonly goArchitecture: string };
  /** Path of openshift-install; null: not installed. */
  readonly installer: string | null;
  readonly installerVersion: { readonly version: string | null; readonly architecture: string | null } | null;
  readonly installDirStatus: {
    readonly state: InstallDirState;
    /** Expiry of the certificates in the ignition files; null before the files exist. */
    readonly expiresAt: number | null;
  };
  /** Whether the files were created from another install-config than the current one. */
  readonly areFilesFromOtherConfig: boolean;
  /** Whether the pull secret changed after Generate wrote it into install-config.yaml. */
  readonly isPullSecretOutdated: boolean;
  /** Whether the API of this installation answers: then its cluster is running. */
  readonly isClusterUp: boolean;
  /** Files that machines will request and not get, with the server's answer. */
  readonly unservedFiles: readonly ServedFile[];
  readonly server: 'ours' | 'other' | null;
  /** Directory of the files that are generated for the bastion. */
  readonly bastionFilesDir: string;
}

/** The state of everything that nodes boot with when they join a running cluster. */
export interface JoinPrepareEvidence extends ImageEvidence {
  /** The RHCOS release of the images. */
  readonly imagesVersion: string;
  readonly requirements: { readonly version: string };
  /** "4.18.11"; null: not available. */
  readonly clusterVersion: string | null;
  /** An ignition file of new nodes: one that must still be fetched from the cluster, else any served one. */
  readonly ignition: {
    readonly role: string;
    readonly isFromCluster: boolean;
    readonly problems: readonly UserError[];
    readonly server: { readonly state: string } | null;
  };
  /** Whether the ignition file has to be read from the cluster, because no usable one exists. */
  readonly mustFetchIgnition: boolean;
}
