import { isSince, minorOf } from '../../design/versions.ts';

/**
 * Whether the bootstrap's member has left etcd, by what its operator says. It says so from 4.13 on (the installer waits for it
 * on a single node since 4.16, and everywhere since 4.19); before that "complete" is all there is.
 * @param version of the design: "4.18" or "4.18.9"
 * @param isRemoved null where its operator does not say
 */
export function hasLeftEtcd(version: string, isRemoved: boolean | null): boolean {
  return isRemoved ?? !isSince(minorOf(version) ?? '', '4.13');
}
