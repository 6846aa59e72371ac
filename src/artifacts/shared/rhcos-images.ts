/** File names of one RHCOS build, as `openshift-install coreos print-stream-json` gives them (base names of the locations). */
export interface RhcosImages {
  readonly release: string;
  readonly kernel: string;
  readonly initramfs: string;
  /** null before 4.6. */
  readonly rootfs: string | null;
  /** The raw disk image, needed before 4.6 and for 4.5-style installs. */
  readonly metal: string | null;
}
