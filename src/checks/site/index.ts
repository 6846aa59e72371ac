import { catalogue } from '../../i18n/catalogue.ts';
import { type Finding, toFinding } from '../check.ts';
import { apiClock, bootstrapRoute, bootstrapTunnel, ipConflict, timeServers } from './before-boot.ts';
import {
  bootScript,
  bootServer,
  httpPrograms,
  nodeScripts,
  servedIgnition,
  servedImages,
  tftpPrograms,
  tftpServer,
} from './boot-files.ts';
import { dhcpBoot, dhcpForeign, dhcpGateway, dhcpLeases, dhcpServer } from './dhcp.ts';
import {
  dnsApi,
  dnsApiInt,
  dnsApps,
  dnsFamily,
  dnsHosts,
  dnsNodes,
  dnsNoWildcard,
  dnsResolver,
  dnsResolverOthers,
  dnsReverse,
  dnsReverseOthers,
  dnsServer,
  dnsTcp,
  dnsUpstream,
} from './dns.ts';
import { hostClock, hostFiles, hostFirewall, hostLogin, hostRights, hostSelinux, sshHosts } from './hosts.ts';
import { ignitionAge, ignitionSameRun, ignitionUnchanged, imageBuild, imageChecksums } from './ignition.ts';
import { lbBootstrap, lbListens, lbMembers } from './load-balancer.ts';
import type { QueryVerdict, SiteCheck } from './query.ts';
import { pullSecretRegistries, registryMirrors, registryProxy } from './registries.ts';

/** All checks of a site, in the order of the report. */
export const SITE_CHECKS = [
  sshHosts,
  hostLogin,
  hostRights,
  hostClock,
  hostFirewall,
  hostSelinux,
  hostFiles,
  dnsServer,
  dnsTcp,
  dnsApi,
  dnsApiInt,
  dnsApps,
  dnsNodes,
  dnsHosts,
  dnsReverse,
  dnsReverseOthers,
  dnsNoWildcard,
  dnsFamily,
  dnsUpstream,
  dnsResolver,
  dnsResolverOthers,
  dhcpServer,
  dhcpLeases,
  dhcpGateway,
  dhcpBoot,
  dhcpForeign,
  lbListens,
  lbMembers,
  lbBootstrap,
  bootServer,
  bootScript,
  nodeScripts,
  tftpServer,
  tftpPrograms,
  httpPrograms,
  servedImages,
  imageChecksums,
  imageBuild,
  servedIgnition,
  ignitionAge,
  ignitionSameRun,
  ignitionUnchanged,
  ipConflict,
  timeServers,
  pullSecretRegistries,
  registryMirrors,
  registryProxy,
  apiClock,
  bootstrapRoute,
  bootstrapTunnel,
] as const;

export type SiteCode = (typeof SITE_CHECKS)[number]['code'];

/** Converts the verdict of a check to a finding with its texts. */
export function toSiteFinding(
  { code, severity }: SiteCheck<SiteCode>,
  { subject, command }: { readonly subject: string; readonly command: string },
  verdict: QueryVerdict,
): Finding {
  const { remedy, ...result } = verdict;
  const own = catalogue().diagnosis.site.checks[code];
  const words = remedy === undefined ? {} : { words: { wrong: own.wrong, remedy } };
  const input = toFinding({ ...result, ...words, subject, command }, own);
  return { subject, state: verdict.state, severity, ...input, code };
}
