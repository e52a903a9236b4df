import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/client.ts'
import { useAction } from '../api/use-api.ts'
import { Button } from './basics.tsx'
import { Dialog } from './dialog.tsx'
import { ProblemBox } from './states.tsx'

type Props = {
  /** The text of the button that submits. */
  submit: string
  act(): Promise<unknown>
  class?: string
  /** Stands beside the button. */
  aside?: ComponentChildren
  /** The fields; `problem` says which of them were refused. */
  children(problem: Problem | undefined): ComponentChildren
}

/** A form that runs `act` when it is submitted, and shows why that failed. */
export const SubmitForm = ({ submit, act, class: className, aside, children }: Props) => {
  const { run, busy, problem } = useAction(act)
  const onSubmit = (event: Event) => {
    event.preventDefault()
    if (!busy) void run()
  }
  return (
    <form class={className} autocomplete="off" onSubmit={onSubmit}>
      {children(problem)}
      <ProblemBox problem={problem} />
      <p class="row">
        <Button type="submit" kind="primary" busy={busy}>
          {submit}
        </Button>
        {aside}
      </p>
    </form>
  )
}

/** A dialog with a form; `act` closes it. */
export const FormDialog = ({ title, onClose, ...formProps }: Props & { title: string; onClose(): void }) => (
  <Dialog title={title} onClose={onClose}>
    <SubmitForm {...formProps} aside={<Button onClick={onClose}>Cancel</Button>} />
  </Dialog>
)
