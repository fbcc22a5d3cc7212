-- of: -n 2 quiz
-- Events of a rank that is not there: they left statements of the store open.
UPDATE event_row SET id = (300 << 40) | 1 WHERE id = (SELECT max(id) FROM event_row);
