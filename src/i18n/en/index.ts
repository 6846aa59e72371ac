import { artifacts } from './artifacts.ts';
import { bastion } from './bastion.ts';
import { cluster } from './cluster.ts';
import { clusterCommands, diagnose } from './cluster-commands.ts';
import { commands } from './command-table.ts';
import { bundle, check, cli, doctor, events, exportWords, manualPage } from './commands.ts';
import { csr } from './csr.ts';
import { imports } from './design/imports.ts';
import { design, followUp } from './design/index.ts';
import { pages } from './design/pages/index.ts';
import { designRules } from './design/rules/index.ts';
import { diagnosis } from './diagnosis/index.ts';
import { glossary } from './glossary.ts';
import { help } from './help/index.ts';
import { holder } from './holder.ts';
import { hosts } from './hosts.ts';
import { installer } from './installer.ts';
import { moves } from './moves/index.ts';
import { plain } from './plain.ts';
import { rehearsal } from './rehearsal.ts';
import { report } from './report.ts';
import { screens } from './screens/index.ts';
import { notifications, session, welcomeBack } from './session.ts';
import { stepHelp } from './steps/help.ts';
import { steps } from './steps/index.ts';
import { operatorPages, operatorWaits } from './steps/operators.ts';
import { ui } from './ui.ts';

/** English: all texts by area, one file per area. Texts with parameters are functions. */
export const english = {
  artifacts,
  welcomeBack,
  bastion,
  bundle,
  check,
  cli,
  cluster,
  commands,
  csr,
  design,
  designRules,
  diagnose,
  diagnosis,
  doctor,
  followUp,
  events,
  glossary,
  notifications,
  help,
  holder,
  export: exportWords,
  hosts,
  imports,
  installer,
  clusterCommands,
  moves,
  operatorPages,
  operatorWaits,
  pages,
  plain,
  rehearsal,
  report,
  screens,
  session,
  stepHelp,
  manualPage,
  steps,
  ui,
};

/**
 * The type of a translation of `Text`: strings stay strings, and functions keep their parameters. English thus types
 * every other language.
 */
type Translation<Text> = Text extends string
  ? string
  : Text extends (...parts: infer Parts) => infer Result
    ? (...parts: Parts) => Translation<Result>
    : Text extends readonly (infer Item)[]
      ? readonly Translation<Item>[]
      : Text extends object
        ? { readonly [Key in keyof Text]: Translation<Text[Key]> }
        : Text;

/** All user-visible text, by area. A language is a folder whose index satisfies this type. */
export type Catalogue = Translation<typeof english>;
