import { failField, failures } from '#kit'
import type { Client } from './client.ts'
import { plain } from './table.ts'
import type { Terminal } from './terminal.ts'

export type AgentTestAsked = { url?: string | undefined; subscription?: string; secretStdin?: boolean; json?: boolean }

const signedWith = { subscription: 'the secret of the subscription', given: 'the given secret', made: 'a secret made for this test' }

/** `toolyard agents test [url]`; its exit code says whether the agent would take a start. */
export const testAgent = async (client: Client, terminal: Terminal, { url, subscription, secretStdin, json }: AgentTestAsked): Promise<number> => {
  try {
    if (url === undefined && subscription === undefined) throw failField('url', 'Give the address of the agent, or --subscription <id>.')
    const secret = secretStdin ? (await terminal.readStdin()).trim() : undefined
    const tested = await client.triggers.testAgent({ url, subscription, secret })
    const { ok, status, message, remedy, durationMs } = tested
    if (json) terminal.out(`${JSON.stringify(tested)}\n`)
    else {
      const answer = status === null ? (message ?? 'There was no answer.') : `The agent answered ${status} in ${durationMs} ms.`
      terminal.out(`${plain(answer)} The call was signed with ${signedWith[tested.signedWith]}.\n`)
      if (remedy !== null) terminal.out(`${plain(remedy)}\n`)
    }
    if (ok) return 0
    return status === null ? failures.unreachable.exit : failures.rejected.exit
  } finally {
    await client.close()
  }
}
