import { catalogue } from '../../i18n/catalogue.ts';
import { FILE_KINDS, type FileHost, type FileKind } from '../../steps/shared/reference.ts';
import { type Block, heading, longTerms, text } from './page.ts';

const words = () => catalogue().help.files;

/** Returns every kind of generated file, from the table of the generators. */
export function filesPage(): readonly Block[] {
  const { intro, install, edited, manifest, names, kindsTitle, onHost, reader, bootTitle, boot } = words();
  const kinds: Readonly<Record<FileKind, { readonly what: string; readonly reader: string }>> = words().kinds;
  const hosts: Readonly<Record<FileHost, string>> = words().hosts;
  return [
    ...[intro, install, edited, manifest].map(text),
    heading(kindsTitle),
    text(names),
    longTerms(
      FILE_KINDS.map(({ kind, host, paths }) => {
        const { what, reader: readBy } = kinds[kind];
        return { name: kind, lines: [what, onHost(hosts[host], paths.join(', ')), reader(readBy)] };
      }),
    ),
    heading(bootTitle),
    text(boot),
  ];
}
