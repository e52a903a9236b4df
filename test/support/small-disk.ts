/** A disk of a few megabytes, which a test fills and frees. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small disk of its own needs the rights of root. */
export const canMount = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    console.warn('A disk cannot be mounted here: the test of a full disk is skipped.')
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const openDisk = (megabytes: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, new Uint8Array(Math.max(0, bavail * bsize)))
    },
    free: () => rmSync(filler, { force: true }),
    close() {
      execFileSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
