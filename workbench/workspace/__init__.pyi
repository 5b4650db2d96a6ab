from . import (
    annotation_tables as annotation_tables,
    atomic as atomic,
    detached as detached,
    lock as lock,
    result_tables as result_tables,
    settings as settings,
    tables as tables,
    yaml_files as yaml_files,
)
from .accounts.accounts import (
    NAME_LIMIT as NAME_LIMIT,
    NOTE_LIMIT as NOTE_LIMIT,
    AccountKeys as AccountKeys,
    Accounts as Accounts,
    has_sign_in as has_sign_in,
)
from .accounts.audit import PAGE as PAGE, AuditFilter as AuditFilter, AuditLog as AuditLog
from .accounts.credentials import (
    EMAIL_LIMIT as EMAIL_LIMIT,
    SHORTEST as SHORTEST,
    Account as Account,
    check_password as check_password,
    new_token as new_token,
    token_digest as token_digest,
)
from .accounts.sign_in import (
    Sessions as Sessions,
    account_actor as account_actor,
    screen_actor as screen_actor,
    session_limits as session_limits,
    sign_in as sign_in,
    sign_in_by_email as sign_in_by_email,
    sign_out as sign_out,
    workspace_actor as workspace_actor,
)
from .annotation_tables import items as items, proposals as proposals
from .atomic import write_bytes as write_bytes, write_text as write_text
from .cache import StepCache as StepCache, batched as batched
from .checksum import (
    FILES as FILES,
    DamagedFile as DamagedFile,
    check_files as check_files,
    checksums as checksums,
    sealed as sealed,
    unsealed as unsealed,
)
from .csv_safety import csv_text as csv_text, plain_text as plain_text, safe_cell as safe_cell, write_csv as write_csv
from .database import (
    alone as alone,
    move_database as move_database,
    open_store as open_store,
    opened_store as opened_store,
    problem as problem,
    row_counts as row_counts,
    to_wal as to_wal,
    writing as writing,
)
from .detached import ROOT as ROOT
from .durations import PieceRate as PieceRate, duration_words as duration_words
from .jobs.job import (
    JOB_COLUMNS as JOB_COLUMNS,
    KINDS as KINDS,
    STATE_TITLES as STATE_TITLES,
    Job as Job,
    NoParameters as NoParameters,
    State as State,
    job_of as job_of,
)
from .jobs.jobs import JobClaim as JobClaim, Jobs as Jobs, UploadJobs as UploadJobs
from .jobs.worker import RunningJob as RunningJob
from .lock import name_lock as name_lock
from .permissions import (
    NOBODY as NOBODY,
    VERBS as VERBS,
    Actor as Actor,
    NotAllowed as NotAllowed,
    Role as Role,
    acting_as as acting_as,
    actor as actor,
    carried as carried,
    check as check,
    permits as permits,
    role_named as role_named,
    set_resolver as set_resolver,
    verb as verb,
    verb_named as verb_named,
)
from .result_tables import runs as runs
from .score_blocks import add_blocks as add_blocks
from .settings import (
    CANDIDATES_LIMIT as CANDIDATES_LIMIT,
    PASSAGES_LIMIT as PASSAGES_LIMIT,
    QUESTION_LIMIT as QUESTION_LIMIT,
    Settings as Settings,
    load as load,
    secret as secret,
)
from .tables import saved_filters as saved_filters
from .yaml_files import (
    READERS as READERS,
    Block as Block,
    YamlForm as YamlForm,
    fill as fill,
    language_blocks as language_blocks,
    read_block as read_block,
    read_mappings as read_mappings,
    read_text as read_text,
)
