import { Page } from '../../ui/page.tsx'

const Starts = () => <Page title="Starts">{null}</Page>

export default Starts
