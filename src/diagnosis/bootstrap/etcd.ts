import { isVersionAtLeast, parseMinorVersion } from '../../design/versions.ts';

/**
 * Whether the bootstrap's etcd member is removed, by the condition of the etcd operator. The condition exists since
 * 4.13 (the installer waits for it on a single node since 4.16, and everywhere since 4.19); older versions report
 * "complete" alone.
 * @param version of the design: "4.18" or "4.18.9"
 * @param isRemoved null: not reported
 */
export function hasBootstrapLeftEtcd(version: string, isRemoved: boolean | null): boolean {
  return isRemoved ?? !isVersionAtLeast(parseMinorVersion(version) ?? '', '4.13');
}
