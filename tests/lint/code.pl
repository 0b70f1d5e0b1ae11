# SPDX-License-Identifier: GPL-2.0-or-later
# code.pl: C text without comments and with empty strings, line for line.
use strict;
use warnings;

# The lines of a file, comments and what strings hold taken out.
sub code_lines {
	my ($file) = @_;
	open(my $fh, '<', $file) or die "$file: $!\n";
	local $/;
	my $text = <$fh>;
	close($fh);
	$text =~ s{(/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'}
		  {my $m = $&; defined $1 ? $m =~ tr/\n//cdr
			: substr($m, 0, 1) x 2}gse;
	return split(/\n/, $text, -1);
}

# The #include "..." lines, as [line number, path].
sub quoted_includes {
	my ($file) = @_;
	my @found;
	open(my $fh, '<', $file) or die "$file: $!\n";
	while (<$fh>) {
		push @found, [$., $1] if /^\s*#\s*include\s+"([^"]+)"/;
	}
	close($fh);
	return @found;
}

1;
