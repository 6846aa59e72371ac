import { createUnknownCommandError, parseArguments, resolveCommand } from './arguments.ts';
import { type Arguments, isGroup, type RunnableName } from './commands.ts';
import type { CommandContext } from './shared/context.ts';

type CommandFunction<Name extends RunnableName> = (args: Arguments<Name>, context: CommandContext) => Promise<number>;

/** The code of each command, loaded on demand: most need only a part of the program. */
const COMMAND_LOADERS: { readonly [Name in RunnableName]: () => Promise<CommandFunction<Name>> } = {
  '': async () => (await import('./wizard.ts')).wizardCommand,
  rehearse: async () => (await import('./rehearse.ts')).rehearseCommand,
  'design example': async () => (await import('./design.ts')).exampleCommand,
  'design schema': async () => (await import('./design.ts')).schemaCommand,
  'design check': async () => (await import('./design.ts')).checkDesignCommand,
  'design diagram': async () => (await import('./design.ts')).diagramCommand,
  'design import': async () => (await import('./design-import.ts')).importCommand,
  generate: async () => (await import('./generate.ts')).generateCommand,
  'export ansible': async () => (await import('./export.ts')).ansibleCommand,
  'export downloads': async () => (await import('./export.ts')).downloadsCommand,
  'export node-image': async () => (await import('./export.ts')).nodeImageCommand,
  'hosts plan': async () => (await import('./hosts.ts')).planCommand,
  'hosts apply': async () => (await import('./hosts.ts')).applyCommand,
  'hosts verify': async () => (await import('./hosts.ts')).verifyCommand,
  'hosts undo': async () => (await import('./hosts.ts')).undoCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  diagnose: async () => (await import('./diagnose.ts')).diagnoseCommand,
  status: async () => (await import('./status.ts')).statusCommand,
  'csr list': async () => (await import('./csr.ts')).listCommand,
  'csr approve': async () => (await import('./csr-approve.ts')).approveCommand,
  'csr deny': async () => (await import('./csr-deny.ts')).denyCommand,
  'infra plan': async () => (await import('./infra.ts')).planCommand,
  'infra apply': async () => (await import('./infra.ts')).applyCommand,
  'infra verify': async () => (await import('./infra.ts')).verifyCommand,
  'infra undo': async () => (await import('./infra.ts')).undoCommand,
  'infra job': async () => (await import('./infra/job.ts')).jobCommand,
  answer: async () => (await import('./answer.ts')).answerCommand,
  attach: async () => (await import('./attach.ts')).attachCommand,
  detach: async () => (await import('./attach.ts')).detachCommand,
  sessions: async () => (await import('./sessions.ts')).sessionsCommand,
  event: async () => (await import('./event.ts')).eventCommand,
  report: async () => (await import('./report.ts')).reportCommand,
  bundle: async () => (await import('./bundle.ts')).bundleCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
  man: async () => (await import('./man.ts')).manCommand,
  help: async () => (await import('./help/index.ts')).helpCommand,
};

/** Whether arguments ask for the help of a command instead of running it. */
export const isHelpRequested = (argv: readonly string[]) => argv.includes('--help') || argv.includes('-h');

/**
 * Runs the command that arguments name, or prints its help.
 * @returns the exit code
 * @throws UsageError for arguments that the table of commands does not allow
 */
export async function dispatch(argv: readonly string[], context: CommandContext): Promise<number> {
  const { name, args, extraWord } = resolveCommand(argv);
  if (isHelpRequested(argv)) return (await import('./help/index.ts')).printCommandHelp(name, context);
  if (isGroup(name)) throw await createUnknownCommandError(name, extraWord);
  return await runCommand(name, args, context);
}

async function runCommand<Name extends RunnableName>(name: Name, args: readonly string[], context: CommandContext) {
  const parsedArguments = await parseArguments(name, args);
  const run = await COMMAND_LOADERS[name]();
  return await run(parsedArguments, context);
}
