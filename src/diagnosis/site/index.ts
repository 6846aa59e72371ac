import { catalogue } from '../../text/catalogue.ts';
import type { Finding } from '../finding.ts';
import { worded } from '../rule.ts';
import { addressConflict, apiClock, bootstrapRoute, bootstrapTunnel, timeServers } from './before-boot.ts';
import {
  bootScript,
  bootServer,
  httpPrograms,
  ignition,
  images,
  nodeScripts,
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
import { hostFiles } from './host-files.ts';
import { hostClock, hostFirewall, hostLogin, hostRights, hostSelinux, sshHosts } from './hosts.ts';
import { ignitionAge, ignitionRun, ignitionSame } from './ignition.ts';
import { imageBuild, imageSums } from './images.ts';
import { lbBootstrap, lbListens, lbMembers } from './load-balancer.ts';
import type { SiteCheck, Verdict } from './question.ts';
import { pullSecretRegistries, registryMirrors, registryProxy } from './registries.ts';

/** All checks of a site, in the order in which they are told. */
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
  images,
  imageSums,
  imageBuild,
  ignition,
  ignitionAge,
  ignitionRun,
  ignitionSame,
  addressConflict,
  timeServers,
  pullSecretRegistries,
  registryMirrors,
  registryProxy,
  apiClock,
  bootstrapRoute,
  bootstrapTunnel,
] as const;

export type SiteCode = (typeof SITE_CHECKS)[number]['code'];

/** A verdict of a check, in its words. */
export function siteFinding(
  { code, severity }: SiteCheck<SiteCode>,
  { subject, command }: { readonly subject: string; readonly command: string },
  verdict: Verdict,
): Finding {
  const { remedy, ...seen } = verdict;
  const own = catalogue().diagnosis.site.checks[code];
  const words = remedy === undefined ? {} : { words: { wrong: own.wrong, remedy } };
  const said = worded({ ...seen, ...words, subject, command }, own);
  return { subject, state: verdict.state, severity, ...said, code };
}
