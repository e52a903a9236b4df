import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/client.ts'
import { useAction } from '../api/use-api.ts'
import { Button } from './basics.tsx'
import { ProblemBox } from './states.tsx'

/**
 * A modal dialog, open while mounted. Escape and the close button call `onClose`; the browser keeps the focus inside
 * and returns it afterwards.
 */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  title: string
  onClose(): void
  children: ComponentChildren
}) => {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    element.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={onClose} onClose={onClose}>
      <header class="row">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </header>
      {children}
    </dialog>
  )
}

type ConfirmProps = {
  title: string
  children: ComponentChildren
  confirm: string
  act(): Promise<unknown>
  onClose(): void
  danger?: boolean
}

/** Asks for confirmation, acts, and closes on success; a failure is shown in the dialog. */
export const Confirm = ({ title, children, confirm, act, onClose, danger = true }: ConfirmProps) => {
  const { run, busy, problem } = useAction(act)
  const decide = async () => {
    if (await run()) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {problem && <ProblemBox problem={problem} />}
      <footer class="row">
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={decide}>
          {confirm}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </Dialog>
  )
}

/** A button that asks before it acts. */
export const ConfirmButton = ({
  label,
  kind = 'danger',
  ...confirmProps
}: Omit<ConfirmProps, 'onClose'> & { label: string; kind?: 'danger' | 'plain' | 'quiet' }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button kind={kind} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Confirm {...confirmProps} onClose={() => setOpen(false)} />}
    </>
  )
}

/** A secret that is shown once: only while this component is mounted, in a field to copy from. */
export const ShownOnce = ({ name, text, problem }: { name: string; text: string; problem?: Problem }) => {
  const id = useId()
  return (
    <div class="shown-once">
      <label for={id}>{name}: shown only now. Keep it in a safe place.</label>
      <input
        id={id}
        type="text"
        readOnly
        autocomplete="off"
        spellcheck={false}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
      {problem && <ProblemBox problem={problem} />}
    </div>
  )
}
