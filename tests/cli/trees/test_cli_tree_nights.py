"""A backup of a tree, night after night: tree_nights.py in a short form. By hand that goes over 2,000 files and 30 nights."""

import tree_nights


def test_what_each_night_leaves_is_the_tree(tmp_path):
    counts = tree_nights.run(tmp_path, num_files=40, num_nights=7, num_kills=3, num_full=1, seed=20)
    assert counts["nights"] == 7 and counts["kills"] >= 1 and counts["full disks"] == 1 and counts["rotated"] > 30, counts
    assert counts["unchanged"] > counts["sealed"] and counts["removed"] > 0, counts
