import { GENERATORS } from '../../artifacts/kinds.ts';
import type { RhcosImages } from '../../artifacts/shared/files.ts';
import { type Design, STAGES } from '../../design/model.ts';
import { CONFIG_KINDS, type Site } from '../../diagnosis/site/site.ts';

type Config = Site['hosts'][number]['configs'][number];

/** No service reads them. */
const CREDENTIALS = { pullSecret: null, sshKey: null, trustBundle: null };

/** What a design generates for the services of each host, by the host's name: the stages of a file that are different. */
export function configsOf(design: Design, images: RhcosImages): Readonly<Partial<Record<string, readonly Config[]>>> {
  const found = new Map<string, Map<string, { kind: Config['kind']; texts: Set<string> }>>();
  for (const stage of STAGES)
    for (const { kind, files } of GENERATORS) {
      const known = CONFIG_KINDS.find((each) => each === kind);
      if (known === undefined) continue;
      for (const { host, path, content } of files({
        design,
        stage,
        credentials: CREDENTIALS,
        images,
        previous: null,
      })) {
        if (host === null) continue;
        const ofHost = found.get(host.name) ?? new Map<string, { kind: Config['kind']; texts: Set<string> }>();
        const { texts } = ofHost.get(path) ?? { texts: new Set<string>() };
        found.set(host.name, ofHost.set(path, { kind: known, texts: texts.add(content) }));
      }
    }
  const configs = [...found].map(([host, ofHost]): [string, readonly Config[]] => [
    host,
    [...ofHost].map(([path, { kind, texts }]) => ({ kind, path, planned: [...texts] })),
  ]);
  return Object.fromEntries(configs);
}
