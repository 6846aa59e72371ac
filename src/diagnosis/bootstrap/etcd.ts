import { isSince, minorOf } from '../../design/versions.ts';

/**
 * Whether the bootstrap's member has left etcd, by the condition of its operator. It exists since 4.13 (the installer waits
 * for it on a single node since 4.16, and everywhere since 4.19); older versions report "complete" alone.
 * @param version of the design: "4.18" or "4.18.9"
 * @param isRemoved null: not reported
 */
export function hasLeftEtcd(version: string, isRemoved: boolean | null): boolean {
  return isRemoved ?? !isSince(minorOf(version) ?? '', '4.13');
}
