import { ShownOnce } from '../../ui/index.ts'

/** The agent's signing secret, shown while it is known. */
export const AgentSecret = ({ secret }: { secret: string }) => (
  <ShownOnce name="Signing secret of the agent" noun="secret" text={secret}>
    <span class="muted">The agent uses it to verify that a start comes from this server.</span>
  </ShownOnce>
)
