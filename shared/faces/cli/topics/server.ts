import type { Command } from 'commander'
import { complete, completionScript, formatCandidates, shells } from '../completion.ts'
import { command, flag } from '../declare.ts'
import { doctor } from '../doctor/index.ts'
import { printServerEnv } from '../server-env.ts'

const json = flag('print JSON')

/** Commands for people who set up, operate or program against the pack. `program`: the command line to be completed. */
export const serverCommands = (program: Command) => [
  command(
    {
      usage: 'console',
      about: 'print a link that signs a browser in to the console of the running server, once',
    },
    async ({ call, say, note }) => {
      const { url, expiresAt } = await call('sessions.createSignInCode')
      // Only the link goes to standard output, so that it can be piped.
      say({ url, expiresAt }, url)
      note(`Open this link in a browser to sign in. It works once, until ${expiresAt.slice(11, 16)} UTC.`)
    },
  ),
  command(
    {
      usage: 'doctor',
      about: 'find problems: Node, settings, data, keys, address, connections, providers, hooks',
      options: { sandbox: flag('check the sandbox and its data'), json },
    },
    ({ configuration, terminal, json }, { sandbox }) =>
      doctor({ configuration, terminal, node: process.versions.node }, { sandbox, json }),
  ),
  command(
    {
      usage: 'env',
      about: 'print address and token of the running server as variables for a shell: eval "$(toolyard env)"',
      options: { sandbox: flag('of the server that runs the sandbox'), json },
    },
    ({ configuration, terminal, json }, { sandbox }) => printServerEnv(configuration(), terminal, { sandbox, json }),
  ),
  command(
    {
      usage: 'openapi',
      about: 'print the OpenAPI 3.1 document of the running server, or of this version',
      needs: 'catalogue',
      textOnly: true,
    },
    async ({ call, show }) => show(await call('health.getOpenApi')),
  ),
  command(
    {
      usage: 'completion <shell>',
      about: 'print a script that makes your shell complete commands, steps, fields and connection names',
      arguments: { shell: shells.join(', ') },
      textOnly: true,
      help: () =>
        '\nExamples:\n  source <(toolyard completion bash)\n  toolyard completion zsh > ~/.zfunc/_toolyard\n  toolyard completion fish > ~/.config/fish/completions/toolyard.fish',
    },
    ({ terminal }, { shell }) => terminal.out(completionScript(shell)),
  ),
  command(
    {
      usage: 'complete [words...]',
      about: '',
      isHidden: true,
      needs: 'catalogue',
      textOnly: true,
    },
    async ({ call, terminal }, { words }) => {
      // Without candidates the shell offers nothing; a message would end up in the line being typed.
      terminal.out(formatCandidates(await complete(program, words, call).catch(() => [])))
    },
  ),
]
