type Streams = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>

/** Ignores a reader that closes our output early (`| head`), so that the work goes on. */
export const outliveReaders = ({ stdout, stderr }: Streams): void => {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // EIO: the terminal was closed.
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    })
  }
}

export const askOnTerminal = async ({ stdin, stderr }: Streams, question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: stdin, output: stderr })
  try {
    return await reader.question(question)
  } finally {
    reader.close()
  }
}
